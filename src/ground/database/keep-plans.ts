import type { Tx } from './db.ts';
import { sql } from './sql.ts';

/**
 * Makes the rest of the transaction use cached generic plans, made for a workspace of average size. Otherwise
 * PostgreSQL plans a statement with a list of ids anew each time, which takes as long as running it. While statistics
 * do not know a new workspace, such a plan expects no rows. It then reads an index of the whole workspace for each
 * mail.
 */
export async function keepPlans(tx: Tx): Promise<void> {
  await tx.run(sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true)
    -- Citus plans by the values, since they tell the node.
    where to_regclass('pg_dist_partition') is null`);
}
