import type { Queryable } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { isFree } from '../../ground/queue/lease.ts';
import { hasNews } from '../activity/fact-reader.ts';

/** Lists webhooks without a sender that have facts to read or deliveries to send. */
export async function listDueWebhooks(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  const moment = await readMoment(db);
  return db.rows<DueRow>(sql`
    select r.workspace_id as "workspaceId", r.id
    from webhooks r
    where r.status = 'active' and ${isFree('webhook', 'r')}
      ${within(sql`r.workspace_id`)} ${except(sql`r.id`)}
      and (
        ${hasNews(moment)}
        or (r.paused_until <= ${now}) is not false and exists (
          select 1 from webhook_deliveries d
          where d.workspace_id = r.workspace_id and d.webhook_id = r.id and d.status = 'pending'
            and d.next_attempt_at <= ${now})
      )
    order by r.workspace_id, r.id
    limit ${rowsMax}`);
}
