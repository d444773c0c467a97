import { type Sql, sql } from './sql.ts';

/**
 * The one row `w` that a workspace has in a small table, for an insert of many rows: `from ${workspaceRow} cross join
 * unnest(…) where w.workspace_id = …`. Citus sends such a statement to the workspace's node; without a row of that node
 * the coordinator would first collect the rows (docs/scale.md).
 */
export const workspaceRow: Sql = sql`ticket_counters w`;
