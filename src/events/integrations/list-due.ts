import type { Queryable } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';

/**
 * Lists webhooks without a sender that have facts to read or deliveries to send. Facts count once no later commit can
 * precede them, see `readFacts`. A webhook also counts if its position is ahead, see `startAnewIfAhead`.
 */
export async function listDueWebhooks(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  const { horizon, next } = await readMoment(db);
  return db.rows<DueRow>(sql`
    select w.workspace_id as "workspaceId", w.id
    from webhooks w
    where w.status = 'active' and (w.lease_until <= now()) is not false
      ${within(sql`w.workspace_id`)} ${except(sql`w.id`)}
      and (
        w.read_transaction_id > ${next}::xid8
        or exists (
          select 1 from activity a
          where a.workspace_id = w.workspace_id and (a.transaction_id, a.id) > (w.read_transaction_id, w.read_id)
            and a.transaction_id < ${horizon}::xid8)
        or (w.paused_until <= ${now}) is not false and exists (
          select 1 from webhook_deliveries d
          where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
            and d.next_attempt_at <= ${now})
      )
    order by w.workspace_id, w.id
    limit ${rowsMax}`);
}
