import type { Db, Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';

/** So few that nobody waits for them: streams and webhooks wait for every transaction that is under way. */
const batchMax = 10_000;
/** No transaction of a server has a lower number. */
const firstTransaction = '3';
const isStillToCome: Sql = sql`>= pg_snapshot_xmax(pg_current_snapshot())`;

/**
 * Has what a dump brought from another server be of the past. The numbers of its transactions are still to come here: once
 * this server got so far, streams and webhooks would tell as new what is long known. To be called before anybody is served;
 * where nothing was restored it looks once into each workspace's index.
 */
export async function settleRestored({ db, log }: { db: Db; log: Logger }): Promise<void> {
  const workspaces = await db.rows<{ workspaceId: WorkspaceId }>(sql`
    select w.id as "workspaceId"
    from workspaces w
    where exists (select from activity a where a.workspace_id = w.id and a.transaction_id ${isStillToCome})`);
  for (const { workspaceId } of workspaces) {
    const facts = await inBatches(db, (tx) => settleFacts(tx, workspaceId));
    await inBatches(db, (tx) => settleReadNotifications(tx, workspaceId));
    log.info({ workspaceId, facts }, 'what was restored from another database server is of the past here');
  }
}

async function inBatches(db: Db, settle: (tx: Tx) => Promise<number>): Promise<number> {
  let all = 0;
  for (;;) {
    const settled = await db.tx(settle);
    all += settled;
    if (settled < batchMax) return all;
  }
}

function settleFacts(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  return tx.run(sql`
    update activity set transaction_id = ${firstTransaction}::xid8
    where workspace_id = ${workspaceId} and id in (
      select id from activity
      where workspace_id = ${workspaceId} and transaction_id ${isStillToCome}
      limit ${batchMax}
    )`);
}

/** Else they would count as read since a page of the unread was asked for. */
function settleReadNotifications(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  return tx.run(sql`
    update notifications set read_transaction_id = ${firstTransaction}::xid8
    where workspace_id = ${workspaceId} and id in (
      select id from notifications
      where workspace_id = ${workspaceId} and read_transaction_id ${isStillToCome}
      limit ${batchMax}
    )`);
}
