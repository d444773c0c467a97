import { record } from '../../events/activity/record.ts';
import type { Performer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { ownTags } from './own-tags.ts';
import { addParticipants } from './rows.ts';
import type { Ticket } from './schema.ts';
import { tagChanges } from './tags.ts';
import { factsBetween, type Why } from './ticket-change.ts';

/** The newest mail that told nobody while the ticket was spam, and whether the ticket was spam from its first mail. */
export type Missed = { id: MessageId; isNewTicket: boolean };

type Difference = Pick<Why, 'reason'> & {
  before: Ticket;
  after: Ticket;
  missed?: Missed | null;
  /** Whether nobody is notified. A mail that told nobody still tells. */
  isQuiet?: boolean;
};

/** Records a change of a ticket. A caller may batch its statements, behind the statement that saves the row. */
export async function recordChange(
  tx: Tx,
  by: Performer,
  { before, after, missed = null, isQuiet = false, reason }: Difference,
): Promise<void> {
  const { workspaceId } = by;
  const { id: ticketId, requester } = after;
  const news = missed !== null && {
    ...{ missedMessageId: missed.id, isNewTicket: missed.isNewTicket },
    ...{ knownBy: by.userId, isQuiet: false },
  };
  const cause = missed === null ? by.cause : ({ kind: 'mail', id: missed.id } as const);
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
