import { record } from '../../events/activity/record.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { keepsSummary } from '../tickets/summary.ts';

export type UnassignTickets = {
  workspaceId: WorkspaceId;
  /** The member who loses the tickets. */
  assigneeId: UserId;
  /** The actor of the facts. */
  byUserId: UserId;
};

/** A changed ticket is rewritten in a dozen indexes. A batch takes well under a second, during which others wait. */
const batchMax = 300;

/**
 * Unassigns at most one batch of a member's tickets, open ones first. Closed ones follow: assignees must be members.
 * Each change records a fact and raises the version, as a change by hand does.
 * @returns whether none is left
 */
export async function unassignTickets(
  tx: Tx,
  { workspaceId, assigneeId, byUserId }: UnassignTickets,
): Promise<boolean> {
  const found = await tx.rows<{ id: TicketId }>(sql`
    select id
    from tickets
    where workspace_id = ${workspaceId} and assignee_id = ${assigneeId}
    order by status = 'closed', last_message_at desc, id
    limit ${batchMax + 1}`);
  // Locks in the order of ids, as all code does. Skips tickets whose assignee changed during the wait.
  const locked = await tx.rows<{ id: TicketId }>(sql`
    select id
    from tickets
    where workspace_id = ${workspaceId} and assignee_id = ${assigneeId}
      and id = any(${found.slice(0, batchMax).map(({ id }) => id)}::uuid[])
    order by id
    for no key update`);
  const by = { workspaceId, userId: byUserId, cause: { kind: 'departure', id: assigneeId } } as const;
  const ticketIds = locked.map(({ id }) => id);
  await together([
    tx.run(sql`
      update tickets
      set assignee_id = null, ${keepsSummary}, version = version + 1, updated_at = greatest(updated_at, ${tx.now}),
        is_import_only = false
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])`),
    ...ticketIds.map((ticketId) =>
      record(tx, by, { ticketId, type: 'ticket.assigned', data: { from: assigneeId, to: null } }),
    ),
  ]);
  return found.length <= batchMax;
}
