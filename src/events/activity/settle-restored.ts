import type { Db, Tx } from '../../ground/database/db.ts';
import { type Moment, pastTransaction, readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Logger } from '../../ground/platform/log.ts';

/** Keeps each transaction short: streams and webhooks wait for every running transaction. */
const batchMax = 10_000;

/**
 * Marks facts restored from another server's dump as past. Their transaction ids may be ahead of this server's. Once
 * this server reached those ids, streams and webhooks would report old facts as new. Call this before serving requests.
 * Without a restore it costs one index lookup per workspace.
 */
export async function settleRestored({ db, log }: { db: Db; log: Logger }): Promise<void> {
  const { next } = await readMoment(db);
  const workspaces = await db.rows<{ workspaceId: WorkspaceId }>(sql`
    select w.workspace_id as "workspaceId"
    from ticket_counters w
    cross join lateral (
      select from activity a where a.workspace_id = w.workspace_id and a.transaction_id >= ${next}::xid8 limit 1
    ) a`);
  for (const { workspaceId } of workspaces) {
    const facts = await inBatches(db, (tx) => settleFacts(tx, workspaceId, next));
    await inBatches(db, (tx) => settleReadNotifications(tx, workspaceId, next));
    log.info({ workspaceId, facts }, 'marked facts restored from another database server as past');
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

function settleFacts(tx: Tx, workspaceId: WorkspaceId, next: Moment['next']): Promise<number> {
  return tx.run(sql`
    update activity set transaction_id = ${pastTransaction}::xid8
    where workspace_id = ${workspaceId} and id in (
      select id from activity
      where workspace_id = ${workspaceId} and transaction_id >= ${next}::xid8
      limit ${batchMax}
    )`);
}

/** Otherwise later pages of unread notifications would include them, as if read since the first page. */
function settleReadNotifications(tx: Tx, workspaceId: WorkspaceId, next: Moment['next']): Promise<number> {
  return tx.run(sql`
    update notifications set read_transaction_id = ${pastTransaction}::xid8
    where workspace_id = ${workspaceId} and id in (
      select id from notifications
      where workspace_id = ${workspaceId} and read_transaction_id >= ${next}::xid8
      limit ${batchMax}
    )`);
}
