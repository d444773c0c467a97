import type { Actor } from '../catalog/actor.ts';
import type { Status } from '../catalog/ticket-status.ts';
import type { Queryable, Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError, type ErrorBody, invalidRequest } from '../lib/errors.ts';
import type { TicketId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import { setArchived } from '../tickets/archive.ts';
import { changeStatus } from '../tickets/change-status.ts';
import { checkUpdate, type UpdateTicket, updateTicket } from '../tickets/update.ts';

/** What is to be changed of each ticket. */
export type BulkChange = Omit<UpdateTicket, 'bulkId'> & { status?: Status; reason?: string; archive?: boolean };

/** Refuses what would be refused for every ticket, before any is touched. */
export async function checkBulk(
  db: Queryable,
  { workspaceId }: Actor,
  { status, reason: _, archive, ...fields }: BulkChange,
  now: Date,
): Promise<void> {
  if (Object.keys(fields).length === 0 && status === undefined && archive === undefined)
    throw invalidRequest({ path: 'body', message: 'names nothing to change' });
  checkUpdate(now, fields);
  const { assigneeId = null } = fields;
  if (assigneeId === null) return;
  const member = await db.maybe(sql`
    select from members where workspace_id = ${workspaceId} and user_id = ${assigneeId}`);
  if (member === undefined)
    throw invalidRequest({ path: 'body.assigneeId', message: 'is no member of this workspace' });
}

/** Changes one ticket of many: all that is asked of it, or nothing. Whom it concerns is told once of all that share the `bulkId`. */
export async function changeOne(
  tx: Tx,
  actor: Actor,
  { ticketId, bulkId, status, reason, archive, ...fields }: BulkChange & { ticketId: TicketId; bulkId: string },
): Promise<void> {
  const target = { ticketId, ifMatch: undefined };
  if (Object.keys(fields).length > 0) await updateTicket(tx, actor, { ...fields, ...target, bulkId });
  if (status !== undefined) {
    const changed = await changeStatus(tx, actor, {
      toStatus: status,
      ...(reason !== undefined && { reason }),
      ...target,
    });
    await changed.answer;
  }
  if (archive !== undefined) await setArchived(tx, actor, { isArchived: archive, ...target });
}

export type BulkResult = { id: TicketId; status: number; error?: ErrorBody };

/** Whether all was tried: what was not is to be asked for again, and so may be another time under the same key. */
export const isFinished = (results: readonly BulkResult[]): boolean => results.every(({ status }) => status < 500);

/** Of one request; more would take the connections of others. */
const atOnceMax = 3;
/**
 * From when the request came. Proxies give an answer a minute or less. What was not begun by then is left to the caller to
 * ask for again.
 */
export const beginSecondsMax = 20;

/**
 * Does something with each ticket, some at once, and tells how each went, in the order given. A fault of one leaves the
 * others.
 * @param ticketIds each once
 * @param begunBy by `performance.now()`
 * @param faultOf what the caller is told of what was thrown
 */
export async function forEachTicket(
  { ticketIds, begunBy }: { ticketIds: readonly TicketId[]; begunBy: number },
  change: (ticketId: TicketId) => Promise<void>,
  faultOf: (thrown: unknown) => AppError,
): Promise<BulkResult[]> {
  const inTurn = inTurns(atOnceMax);
  const changeInTime = async (id: TicketId): Promise<BulkResult> => {
    try {
      if (performance.now() > begunBy) throw new AppError('unavailable');
      await change(id);
      return { id, status: 200 };
    } catch (thrown) {
      const { status, body } = faultOf(thrown);
      return { id, status, error: body };
    }
  };
  return Promise.all(ticketIds.map((id) => inTurn(() => changeInTime(id))));
}
