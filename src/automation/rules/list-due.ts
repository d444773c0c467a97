import { hasNews } from '../../events/activity/fact-reader.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';

/** Lists the workspaces whose rules have facts to read. */
export async function listDueReaders(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  const moment = await readMoment(db);
  return db.rows<DueRow>(sql`
    select r.workspace_id as "workspaceId", r.id
    from rule_readers r
    where ${hasNews(moment)} ${within(sql`r.workspace_id`)} ${except(sql`r.id`)}
    order by r.workspace_id
    limit ${rowsMax}`);
}
