import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { lockWebhook } from './change-webhook.ts';
import { getDelivery, type WebhookKey } from './queries.ts';
import { type DeliveryView, testEvent, type WebhookView } from './schema.ts';

/** Sends a test event on request. Throws 404, and 409 `webhook.disabled`. */
export async function sendTest(
  tx: Tx,
  { workspaceId }: Actor,
  { webhookId }: { webhookId: string },
): Promise<{ deliveryId: string }> {
  const webhook = { workspaceId, webhookId };
  refuseDisabled(await lockWebhook(tx, webhook));
  const deliveryId = tx.newId();
  const payload = { type: testEvent, timestamp: tx.now.toISOString(), data: { workspaceId, webhookId } };
  await together([
    tx.run(sql`
      insert into webhook_deliveries (workspace_id, id, webhook_id, type, payload, status, next_attempt_at, created_at)
      values (${workspaceId}, ${deliveryId}, ${webhookId}, ${testEvent}, ${JSON.stringify(payload)}, 'pending',
        ${tx.now}, ${tx.now})`),
    tryNow(tx, webhook),
  ]);
  return { deliveryId };
}

/**
 * Sends a delivery again under the same id, whether it arrived or not. A waiting delivery is sent now. Throws as
 * `sendTest` does.
 */
export async function redeliver(
  tx: Tx,
  { workspaceId }: Actor,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<DeliveryView> {
  const webhook = { workspaceId, webhookId };
  const locked = await lockWebhook(tx, webhook);
  await getDelivery(tx, { ...webhook, deliveryId });
  refuseDisabled(locked);
  await tx.run(sql`
    update webhook_deliveries
    set status = 'pending', attempts = 0, next_attempt_at = ${tx.now}, response_status = null, error = null,
      settled_at = null
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and id = ${deliveryId}`);
  await tryNow(tx, webhook);
  return getDelivery(tx, { ...webhook, deliveryId });
}

function refuseDisabled({ status }: WebhookView): void {
  if (status !== 'active') throw new AppError('webhook.disabled');
}

/** An admin asked for this attempt, perhaps after a fix of the receiver, so it skips the pause. */
async function tryNow(tx: Tx, webhook: WebhookKey): Promise<void> {
  tx.touch(webhook.workspaceId);
  await tx.run(sql`
    update webhooks set paused_until = null
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}`);
}
