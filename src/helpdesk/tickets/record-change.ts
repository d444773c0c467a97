import { record } from '../../events/activity/record.ts';
import type { Fact } from '../../ground/catalog/events.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import type { MessageId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { ownTags } from './own-tags.ts';
import { addParticipants } from './rows.ts';
import type { Ticket } from './schema.ts';
import { tagChanges } from './tags.ts';
import { type Cause, factsBetween } from './ticket-change.ts';

/** Who changes a ticket: a member, or the service itself. */
type Doer = { workspaceId: WorkspaceId; userId: UserId | null };

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
  by: Doer,
  { before, after, missedId = null, bulkId, isQuiet = false, reason, wokenBy }: Difference,
): Promise<void> {
  const { workspaceId, userId } = by;
  const { id: ticketId, requester } = after;
  const actor: Fact<'ticket.tagged'>['actor'] = userId === null ? { type: 'system' } : { type: 'agent', userId };
  const about = { workspaceId, ticketId, actor, bulkId, isQuiet };
  // Each missed mail has a notification of its own, which names its message.
  const news = missedId === null ? undefined : { missedMessageId: missedId, isQuiet: false, bulkId: undefined };
  const cause = { reason, wokenBy: wokenBy ?? (missedId === null ? ('agent' as const) : ('reply' as const)) };
  const facts = factsBetween(before, after, cause).map((fact) => ({
    ...about,
    ...fact,
    ...(fact.type === 'ticket.spam_changed' && news),
  }));
  await together([
    ...facts.map((fact) => record(tx, fact)),
    requester !== null && requester.contactId !== before.requester?.contactId
      ? addParticipants(tx, { workspaceId, ticketId }, [requester.contactId])
      : undefined,
    ownTags(tx, { workspaceId, ticketId }, tagChanges(before.tags, after.tags)),
  ]);
}
