import { sql } from '../../../ground/database/sql.ts';
import type { Sweep } from '../../../ground/database/sweep.ts';

/** How long the list of imports goes back. The audit log has the counts for longer. */
const listedDays = 90;

export const sweepImports: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from mail_imports
    where (workspace_id, id) in (
      select workspace_id, id
      from mail_imports
      where not has_files and finished_at < ${tx.now}::timestamptz - make_interval(days => ${listedDays})
      limit ${rowsMax})`);
