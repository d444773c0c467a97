import type { Actor } from '../../catalog/actor.ts';
import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { AppError } from '../../lib/errors.ts';
import type { TicketId, UserId } from '../../lib/ids.ts';
import type { ReplyActions } from '../../replies/schema.ts';
import { setArchived } from '../archive.ts';
import { lockTicket } from '../change.ts';
import { changeStatus } from '../change-status.ts';
import { followTicket } from '../follow.ts';
import type { Ticket } from '../schema.ts';
import { updateTicket } from '../update.ts';

const hourMs = 3_600_000;

/**
 * Changes a ticket as a saved reply says. Throws 409 `saved_reply.actions_not_allowed` if the reply assigns a person
 * who has left.
 */
export async function runActions(
  tx: Tx,
  actor: Actor,
  { ticketId, bulkId }: { ticketId: TicketId; bulkId?: string },
  { status, reason, archive, follow, ...actions }: ReplyActions,
): Promise<Ticket> {
  const target = { ticketId, ifMatch: undefined };
  const fields = await fieldsOf(tx, actor, actions);
  const isChanged = Object.keys(fields).length > 0;
  const ticket = isChanged
    ? await updateTicket(tx, actor, { ...fields, ...target, ...(bulkId !== undefined && { bulkId }) })
    : await lockTicket(tx, { workspaceId: actor.workspaceId, ...target });
  // Only now the ticket is known to exist.
  if (follow === true) await followTicket(tx, { ...actor, ticketId }, [actor.userId]);
  const left =
    status === undefined
      ? ticket
      : await changeStatus(tx, actor, { toStatus: status, ...(reason !== undefined && { reason }), ...target });
  return archive === undefined ? left : setArchived(tx, actor, { isArchived: archive, ...target });
}

async function fieldsOf(tx: Tx, actor: Actor, { priority, assignee, addTags, removeTags, snoozeHours }: ReplyActions) {
  return {
    ...(priority !== undefined && { priority }),
    ...(assignee !== undefined && { assigneeId: await assigneeOf(tx, actor, assignee) }),
    ...(addTags !== undefined && { addTags }),
    ...(removeTags !== undefined && { removeTags }),
    ...(snoozeHours !== undefined && {
      snoozedUntil: new Date(tx.now.getTime() + snoozeHours * hourMs).toISOString(),
    }),
  };
}

async function assigneeOf(tx: Tx, { workspaceId, userId }: Actor, assignee: string): Promise<UserId | null> {
  if (assignee === 'none') return null;
  if (assignee === 'me') return userId;
  const member = await tx.maybe<{ userId: UserId }>(sql`
    select user_id as "userId" from members
    where workspace_id = ${workspaceId} and user_id = ${assignee} and removed_at is null`);
  if (member === undefined) throw new AppError('saved_reply.actions_not_allowed', { action: 'assignee' });
  return member.userId;
}
