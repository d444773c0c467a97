import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { WrittenListQuery } from '../lists/schema.ts';
import { checkBulk } from './bulk.ts';
import { conditionsOfMatching, idsWhere, type Matching, refuseTooManyTickets } from './matching.ts';
import { getBulkChange, undoHours } from './queries.ts';
import type { BulkChange, QueryChange } from './schema.ts';

/** Of a workspace. Others would only share the same processes. */
const underWayMax = 5;

/** A bulk change of a workspace. */
export type BulkChangeKey = { workspaceId: WorkspaceId; id: string };

/**
 * Begins a change of all tickets that match a query now; the due work makes it. Throws 409 `bulk_change.count_changed`
 * if the caller expects another number, because a person has agreed to that number alone.
 */
export async function beginBulkChange(
  tx: Tx,
  actor: Actor,
  { query, exceptIds, expectedCount, change }: Matching & { expectedCount?: number; change: QueryChange },
): Promise<BulkChange> {
  await checkBulk(tx, actor, change, tx.now);
  const matching = { query, ...(exceptIds !== undefined && { exceptIds }) };
  const conditions = await conditionsOfMatching(tx, actor, matching, tx.now);
  const begun = await beginChangeWhere(tx, actor, { query, conditions, change });
  const { id, total: count } = begun;
  if (expectedCount !== undefined && expectedCount !== count)
    throw new AppError('bulk_change.count_changed', { count });
  if (count === 0) throw invalidRequest({ path: 'body.query', key: 'matches_nothing' });
  await audit(tx, actor, { type: 'tickets.bulk_changed', subjectId: id, data: { count } });
  return begun;
}

/**
 * Begins a change of the tickets that meet the conditions on `t`.
 * @param query describes them to people
 */
export async function beginChangeWhere(
  tx: Tx,
  actor: Actor,
  { query, conditions, change }: { query: WrittenListQuery; conditions: readonly Sql[]; change: QueryChange },
): Promise<BulkChange> {
  const { workspaceId, userId, keyId } = actor;
  await refuseBusy(tx, workspaceId);
  const id = tx.newId();
  await tx.run(sql`
    insert into bulk_changes (workspace_id, id, created_by, created_by_key, created_at, query, change, state, total)
    values (${workspaceId}, ${id}, ${userId}, ${keyId}, ${tx.now}, ${JSON.stringify(query)},
      ${JSON.stringify(change)}, 'running', 0)`);
  const count = await tx.run(
    plannedAnew(sql`
      insert into bulk_change_tickets (workspace_id, bulk_change_id, ticket_id)
      select ${workspaceId}::uuid, ${id}::uuid, matching.id from (${idsWhere(conditions)}) matching`),
  );
  refuseTooManyTickets(count);
  await tx.run(sql`
    update bulk_changes set total = ${count} where workspace_id = ${workspaceId} and id = ${id}`);
  tx.touch(workspaceId);
  return getBulkChange(tx, actor, id);
}

/** Concurrent requests take turns, so that they cannot exceed the limit together. */
async function refuseBusy(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await lockWorkspace(tx, workspaceId);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from bulk_changes
    where workspace_id = ${workspaceId} and state in ('running', 'undoing')`);
  if (count >= underWayMax) throw new AppError('bulk_change.busy', { max: underWayMax });
}

/** Leaves the tickets that have not changed yet as they are. A change that has ended stays as it is. */
export async function stopBulkChange(tx: Tx, actor: Actor, id: string): Promise<BulkChange> {
  const { workspaceId } = actor;
  const { state, createdBy: _ } = await lockBulkChange(tx, actor, id);
  if (state === 'running') {
    await endBulkChange(tx, { workspaceId, id }, 'stopped');
    await audit(tx, actor, { type: 'tickets.bulk_stopped', subjectId: id, data: {} });
  }
  return getBulkChange(tx, actor, id);
}

/**
 * Begins to bring the changed tickets back to their state before; the due work does it. Also ends a change that still
 * runs. Throws 409 `bulk_change.undo_over` a day after the end of the change.
 */
export async function undoBulkChange(tx: Tx, actor: Actor, id: string): Promise<BulkChange> {
  const { workspaceId, userId, keyId } = actor;
  const { state } = await lockBulkChange(tx, actor, id);
  if (state === 'undoing' || state === 'undone') return getBulkChange(tx, actor, id);
  const begun = await tx.run(sql`
    update bulk_changes
    set state = 'undoing', undone_by = ${userId}, undone_by_key = ${keyId},
      finished_at = coalesce(finished_at, ${tx.now})
    where workspace_id = ${workspaceId} and id = ${id}
      and (finished_at is null or finished_at > ${tx.now}::timestamptz - make_interval(hours => ${undoHours}))`);
  if (begun === 0) throw new AppError('bulk_change.undo_over');
  await audit(tx, actor, { type: 'tickets.bulk_undone', subjectId: id, data: {} });
  tx.touch(workspaceId);
  return getBulkChange(tx, actor, id);
}

/** Waits for the tickets that are changing now, because they hold the same row. */
async function lockBulkChange(tx: Tx, actor: Actor, id: string): Promise<BulkChange> {
  await tx.run(sql`select from bulk_changes where workspace_id = ${actor.workspaceId} and id = ${id} for update`);
  return getBulkChange(tx, actor, id);
}

/** Ends a locked change, and keeps the counts of its tickets. */
export async function endBulkChange(
  tx: Tx,
  { workspaceId, id }: BulkChangeKey,
  state: 'done' | 'stopped' | 'undone',
): Promise<void> {
  const time = state === 'undone' ? sql`undone_at = ${tx.now}` : sql`finished_at = coalesce(finished_at, ${tx.now})`;
  await tx.run(sql`
    update bulk_changes c
    set state = ${state}, ${time}, changed = n.changed, unchanged = n.unchanged, refused = n.refused,
      undone = n.undone, kept = n.kept
    from (
      select count(*) filter (where t.state = 'changed') as changed,
        count(*) filter (where t.state = 'unchanged') as unchanged,
        count(*) filter (where t.state = 'refused') as refused,
        count(*) filter (where t.state = 'undone') as undone,
        count(*) filter (where t.state = 'kept') as kept
      from bulk_change_tickets t
      where t.workspace_id = ${workspaceId} and t.bulk_change_id = ${id}
    ) n
    where c.workspace_id = ${workspaceId} and c.id = ${id}`);
}
