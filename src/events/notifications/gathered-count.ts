import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { quick, type Sql, sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { nilId, type WorkspaceId } from '../../ground/lib/ids.ts';

/** Notifications that gather are counted when they are shown, so that further tickets write nothing for each person. */

/** Counting goes no further. */
const countMax = 1_000;

/** The condition that a row `g` of `gathered_facts` counts for a notification `row`, in each workspace by itself. */
export function isCountedFor(row: Sql): Sql {
  return sql`g.workspace_id = ${row}.workspace_id and g.type = ${row}.type
    and g.mailbox_id = coalesce(${row}.mailbox_id, ${nilId}::uuid) and g.activity_id >= ${row}.activity_id
    and ${row}.user_id <> all(g.passed_over)`;
}

const tellingOf = (workspaceId: WorkspaceId): Sql => sql`hashtextextended(${`told ${workspaceId}`}, 0)`;

/** Lets whoever reads notifications of a workspace wait for the commit, so that a fact meanwhile is counted or told. */
export async function beginTelling(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock_shared(${tellingOf(workspaceId)})`);
}

/**
 * Waits for transactions that tell, and lets later ones wait for the reading. Comes before any other lock, or after all
 * of them.
 */
export async function awaitTelling(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${tellingOf(workspaceId)})`);
}

/** How many facts an unread row of `notifications` has gathered. */
function gathered(scope: Scope): Sql {
  return sql`(
    select greatest(count(*), 1)::integer from (
      select from gathered_facts g
      where g.workspace_id = ${scope.workspaceId} and ${isCountedFor(sql`notifications`)}
        and ${ofVisible(scope, 'g.ticket_id')}
      limit ${countMax}
    ) counted)`;
}

const isGathering: Sql = sql`notifications.title_of_many is not null and notifications.read_at is null`;

export function titleOf(scope: Scope): Sql {
  const many = sql`replace(notifications.title_of_many, '%n', ${gathered(scope)}::text)`;
  return sql`case when ${isGathering} and ${gathered(scope)} > 1 then ${many} else notifications.title end`;
}

type Counted = { id: string; title: string; count: number; titleOfMany: string | null; readAt: string | null };

/**
 * The rows of a page with what they tell of by now. A statement of its own: as a part of the page it would make each
 * page a fifth slower, also of those who gather nothing.
 */
export async function withCounts<Row extends Counted>(db: Queryable, scope: Scope, rows: Row[]): Promise<Row[]> {
  const ids = rows.filter(({ titleOfMany, readAt }) => titleOfMany !== null && readAt === null).map(({ id }) => id);
  if (ids.length === 0) return rows;
  const counted = await db.rows<{ id: string; count: number }>(
    quick(sql`
    select id, ${gathered(scope)} as count
    from notifications
    where workspace_id = ${scope.workspaceId} and id = any(${ids}::uuid[])`),
  );
  const counts = new Map(counted.map(({ id, count }) => [id, count]));
  return rows.map((row) => {
    const count = counts.get(row.id) ?? row.count;
    if (row.titleOfMany === null || count === 1) return row;
    return { ...row, count, title: row.titleOfMany.replace('%n', String(count)) };
  });
}

/** Whether a row of `notifications` tells of several tickets of a mailbox, or did when it was read. */
export function isOfSeveral(scope: Scope): Sql {
  return sql`notifications.title_of_many is not null and exists (
    select from gathered_facts g
    where g.workspace_id = ${scope.workspaceId} and ${isCountedFor(sql`notifications`)}
      and g.ticket_id <> notifications.reference_id and g.created_at <= coalesce(notifications.read_at, 'infinity')
      and ${ofVisible(scope, 'g.ticket_id')})`;
}

/** Writes down what unread rows of `notifications` tell of by now, before they are read. */
export async function settleCounts(tx: Tx, scope: Scope, which: Sql): Promise<void> {
  await tx.run(sql`
    update notifications
    set count = ${gathered(scope)}, title = replace(title_of_many, '%n', ${gathered(scope)}::text)
    where ${which} and ${isGathering} and ${gathered(scope)} > 1`);
}

/** Longer than people leave notifications unread, and expect an exact count. */
export const sweepGathered: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from gathered_facts
    where (workspace_id, activity_id) in (
      select workspace_id, activity_id
      from gathered_facts
      where created_at < ${tx.now}::timestamptz - interval '90 days'
      limit ${rowsMax})`);
