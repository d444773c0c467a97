import type { App } from '../app.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { enqueue } from '../queue/enqueue.ts';
import type { WebhookKey } from './queries.ts';

/** As many as one statement changes in about a second on a small machine: there may be millions. */
const batchMax = 5_000;

/** What waits for a webhook that is disabled is not sent any more. Of much the rest follows in a job. */
export async function giveUpPending(tx: Tx, webhook: WebhookKey): Promise<void> {
  if ((await giveUpSome(tx, webhook)) === batchMax) await enqueueClearing(tx, webhook);
}

/** The log of a webhook that is deleted goes too. Of much the rest follows in a job. */
export async function deleteLog(tx: Tx, webhook: WebhookKey): Promise<void> {
  if ((await deleteSome(tx, webhook)) === batchMax) await enqueueClearing(tx, webhook);
}

/** The rest, as long as the webhook is disabled or gone: what is left when it is enabled again is sent. */
export async function clearDeliveries({ db }: Pick<App, 'db'>, webhook: WebhookKey): Promise<void> {
  while ((await db.tx((tx) => clearSome(tx, webhook))) === batchMax);
}

async function clearSome(tx: Tx, webhook: WebhookKey): Promise<number> {
  const kept = await tx.maybe<{ status: string }>(sql`
    select status from webhooks
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}
    for no key update`);
  if (kept === undefined) return deleteSome(tx, webhook);
  return kept.status === 'disabled' ? giveUpSome(tx, webhook) : 0;
}

function giveUpSome(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries
    set status = 'failed', next_attempt_at = null, settled_at = ${tx.now},
      error = coalesce(error || ' ', '') || 'The webhook was disabled.'
    where workspace_id = ${workspaceId} and status = 'pending' and id = any(array(
      select id from webhook_deliveries
      where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and status = 'pending'
      order by next_attempt_at, id
      limit ${batchMax}))`);
}

function deleteSome(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<number> {
  return tx.run(sql`
    delete from webhook_deliveries
    where workspace_id = ${workspaceId} and id = any(array(
      select id from webhook_deliveries
      where workspace_id = ${workspaceId} and webhook_id = ${webhookId}
      order by id
      limit ${batchMax}))`);
}

function enqueueClearing(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<void> {
  return enqueue(tx, 'webhook.clear', { workspaceId, webhookId }, { key: `webhook.clear:${webhookId}` });
}
