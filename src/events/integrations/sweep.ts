import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';

/** Keeps the delivery log for 30 days. */
export const sweepDeliveries: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from webhook_deliveries
    where (workspace_id, id) in (
      select workspace_id, id
      from webhook_deliveries
      where settled_at < ${tx.now}::timestamptz - interval '30 days'
      limit ${rowsMax})`);
