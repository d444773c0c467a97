import { record } from '../activity/record.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { keepsSummary } from '../tickets/summary.ts';

export type UnassignTickets = {
  workspaceId: WorkspaceId;
  /** Whose tickets. */
  assigneeId: UserId;
  /** By whose doing. */
  byUserId: UserId;
};

/** A changed ticket enters a dozen indexes anew: so many are written in well under a second, in which others wait for them. */
const batchMax = 300;

/**
 * Takes a member's tickets away from them, at most so many at once: open ones first, closed ones too, for a ticket names only
 * members. Each change is a fact, and a version, as if made by hand.
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
  // Locked in the order of their ids, like everywhere; whose assignee was changed while we waited is none of ours any more.
  const locked = await tx.rows<{ id: TicketId }>(sql`
    select id
    from tickets
    where workspace_id = ${workspaceId} and assignee_id = ${assigneeId}
      and id = any(${found.slice(0, batchMax).map(({ id }) => id)}::uuid[])
    order by id
    for no key update`);
  const ticketIds = locked.map(({ id }) => id);
  await together([
    tx.run(sql`
      update tickets
      set assignee_id = null, ${keepsSummary}, version = version + 1, updated_at = greatest(updated_at, ${tx.now}), is_import_only = false
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])`),
    ...ticketIds.map((ticketId) =>
      record(tx, {
        workspaceId,
        ticketId,
        actor: { type: 'agent', userId: byUserId },
        type: 'ticket.assigned',
        data: { from: assigneeId, to: null },
      }),
    ),
  ]);
  return found.length <= batchMax;
}
