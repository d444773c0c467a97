import { recordFrom } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { AppError } from '../lib/errors.ts';
import type { Tx } from '../platform/db.ts';
import { type LastSent, lastTogether } from '../platform/last-sent.ts';
import { sql } from '../platform/sql.ts';
import { isSeen, refuseMerged, refuseStale, type Target } from './change.ts';
import { findTicket } from './queries.ts';
import type { Ticket } from './schema.ts';
import type { Status } from './status.ts';

export type ChangeStatus = Omit<Target, 'workspaceId'> & { toStatus: Status; reason?: string };

/**
 * Any status may follow any other; the same one again changes nothing and leaves no fact. In one round trip: the statement itself
 * decides whether it may change the ticket, and the row that is read behind it tells why it did not.
 */
export function changeStatus(
  tx: Tx,
  { workspaceId, userId }: Actor,
  { toStatus, reason, ticketId, ifMatch }: ChangeStatus,
): LastSent<Ticket> {
  const fact = { workspaceId, ticketId, actor: { type: 'agent', userId }, type: 'ticket.status_changed' } as const;
  const data = sql`jsonb_build_object('from', before, 'to', ${toStatus}::text, 'reason', ${reason ?? null}::text)`;
  // Locked before it is judged: one that waits for another change judges what that left.
  const changing = tx.run(sql`
    with before as (
      select t.id, t.status, t.version, t.merged_into_id
      from tickets t
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
      for no key update
    ),
    changed as (
      update tickets t
      set status = ${toStatus}, updated_at = greatest(t.updated_at, ${tx.now}::timestamptz), version = t.version + 1,
        is_import_only = false
      from before b
      where t.workspace_id = ${workspaceId} and t.id = b.id and b.status <> ${toStatus} and b.merged_into_id is null
        and ${isSeen(sql`b.version`, ifMatch)}
      returning b.status as before
    )
    ${recordFrom(tx, fact, data, sql`changed`)}`);
  return lastTogether([changing, findTicket(tx, workspaceId, ticketId)]).map(([changedCount, ticket]) => {
    if (ticket === undefined) throw new AppError('ticket.not_found');
    if (changedCount === 0) {
      refuseStale(ticket, ifMatch);
      refuseMerged(ticket);
    }
    return ticket;
  });
}
