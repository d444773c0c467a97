import { record } from '../../events/activity/record.ts';
import type { Performer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { ownTags } from './own-tags.ts';
import { addParticipants } from './rows.ts';
import type { Ticket } from './schema.ts';
import { tagChanges } from './tags.ts';
import { type Cause, factsBetween } from './ticket-change.ts';

type Difference = Cause & {
  before: Ticket;
  after: Ticket;
  /** The newest mail that told nobody while the ticket was spam. */
  missedId?: MessageId | null;
  /** Groups the changes of one bulk request, so that each person is notified once. */
  bulkId?: string | undefined;
  /** Whether nobody is notified. A mail that told nobody still tells. */
  isQuiet?: boolean;
};

/** Records a change of a ticket. A caller may batch its statements, behind the statement that saves the row. */
export async function recordChange(
  tx: Tx,
  by: Performer,
  { before, after, missedId = null, bulkId, isQuiet = false, reason, wokenBy }: Difference,
): Promise<void> {
  const { workspaceId } = by;
  const { id: ticketId, requester } = after;
  const about = { ticketId, bulkId, isQuiet };
  // Each missed mail has a notification of its own, which names its message.
  const news = missedId === null ? undefined : { missedMessageId: missedId, isQuiet: false, bulkId: undefined };
  const cause = { reason, wokenBy: wokenBy ?? (missedId === null ? ('agent' as const) : ('reply' as const)) };
  const facts = factsBetween(before, after, cause).map((fact) => ({
    ...about,
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
