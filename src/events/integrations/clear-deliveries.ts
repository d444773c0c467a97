import type { App } from '../../app.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import type { WebhookKey } from './queries.ts';

/** One statement changes this many rows in about a second on a small machine. There may be millions. */
const batchMax = 5_000;

/** Gives up the waiting deliveries of a disabled webhook. A job does what exceeds one batch. */
export async function giveUpPending(tx: Tx, webhook: WebhookKey): Promise<void> {
  if ((await giveUpSome(tx, webhook)) === batchMax) await enqueueClearing(tx, webhook);
}

/** Deletes the log of a deleted webhook. A job does what exceeds one batch. */
export async function deleteLog(tx: Tx, webhook: WebhookKey): Promise<void> {
  if ((await deleteSome(tx, webhook)) === batchMax) await enqueueClearing(tx, webhook);
}

/** Clears the rest while the webhook is disabled or deleted. Deliveries left when it is enabled again are sent. */
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
