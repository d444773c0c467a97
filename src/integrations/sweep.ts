import type { App } from '../app.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { Sweep } from '../database/sweep.ts';
import { enqueueAll } from '../queue/enqueue.ts';
import { dispatchUnread } from './dispatch-unread.ts';
import { deliverJob } from './enqueue.ts';
import type { WebhookKey } from './queries.ts';

/** Dispatches facts whose hint was lost, and queues deliveries whose job was lost. */
export async function sweepWebhooks({ db }: Pick<App, 'db'>): Promise<void> {
  await db.tx((tx) => dispatchUnread(tx, null));
  await db.tx(enqueueOverdue);
}

const overdueMax = 500;

async function enqueueOverdue(tx: Tx): Promise<void> {
  const overdue = await tx.rows<WebhookKey>(sql`
    select w.workspace_id as "workspaceId", w.id as "webhookId"
    from webhooks w
    where w.status = 'active' and coalesce(w.paused_until < ${tx.now}, true) and coalesce(w.lease_until < now(), true)
      and exists (
        select 1 from webhook_deliveries d
        where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
          and d.next_attempt_at < ${tx.now}::timestamptz - interval '1 minute'
      )
    order by w.workspace_id, w.id
    limit ${overdueMax}`);
  if (overdue.length > 0) await enqueueAll(tx, overdue.map(deliverJob));
}

/** Keeps the delivery log for 30 days. */
export const sweepDeliveries: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from webhook_deliveries
    where (workspace_id, id) in (
      select workspace_id, id
      from webhook_deliveries
      where settled_at < ${tx.now}::timestamptz - interval '30 days'
      limit ${rowsMax})`);
