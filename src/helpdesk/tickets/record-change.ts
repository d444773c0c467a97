import { record } from '../../events/activity/record.ts';
import type { Performer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { ownTags } from './own-tags.ts';
import { addParticipants } from './rows.ts';
import type { Ticket } from './schema.ts';
import { tagChanges } from './tags.ts';
import { factsBetween, type Why } from './ticket-change.ts';

type Difference = Pick<Why, 'reason'> & {
  before: Ticket;
  after: Ticket;
  /** The newest mail that told nobody while the ticket was spam. */
  missedId?: MessageId | null;
  /** Whether nobody is notified. A mail that told nobody still tells. */
  isQuiet?: boolean;
};

/** Records a change of a ticket. A caller may batch its statements, behind the statement that saves the row. */
export async function recordChange(
  tx: Tx,
  by: Performer,
  { before, after, missedId = null, isQuiet = false, reason }: Difference,
): Promise<void> {
  const { workspaceId } = by;
  const { id: ticketId, requester } = after;
  const isNewTicket = after.messageCount === 1;
  const news = missedId === null ? undefined : { missedMessageId: missedId, isNewTicket, isQuiet: false };
  const cause = missedId === null ? by.cause : ({ kind: 'mail', id: missedId } as const);
  const facts = factsBetween(before, after, { reason, cause }).map((fact) => ({
    ...{ ticketId, isQuiet },
    ...fact,
    ...(fact.type === 'ticket.spam_changed' && news),
  }));
  await together([
    ...facts.map((fact) => record(tx, by, fact)),
    requester !== null && requester.contactId !== before.requester?.contactId
      ? addParticipants(tx, { workspaceId, ticketId }, [requester.contactId])
      : undefined,
    ownTags(tx, { workspaceId, ticketId }, tagChanges(before.tags, after.tags)),
  ]);
}
