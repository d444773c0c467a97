import { audit } from '../../access/audit/audit.ts';
import { refuseInUse } from '../../access/uses/refuse-in-use.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { leaseEnded } from '../../ground/queue/lease.ts';
import { factsFromNow } from '../activity/fact-reader.ts';
import { deleteLog, giveUpPending } from './clear-deliveries.ts';
import { getWebhook, type WebhookKey } from './queries.ts';
import type { CreatedWebhook, UpdateWebhook, WebhookView } from './schema.ts';
import { sealKey } from './sealed-keys.ts';
import { newSigningKey, secretOf } from './signature.ts';

type WebhookRef = { webhookId: string };

/**
 * Changes the given fields. A new address gets all waiting deliveries at once. A webhook that is enabled again sends
 * only later facts. Disabling a webhook gives up its waiting deliveries.
 */
export async function updateWebhook(
  tx: Tx,
  actor: Actor,
  { webhookId, ...input }: WebhookRef & UpdateWebhook,
): Promise<WebhookView> {
  const webhook = { workspaceId: actor.workspaceId, webhookId };
  const before = await lockWebhook(tx, webhook);
  const { url, events, description, status } = { ...before, ...input };
  const after = { url, events: [...new Set(events)], description: description || null, status };
  const changed = changedFields(before, after);
  if (changed.length === 0) return before;
  await together([
    tx.run(sql`
      update webhooks
      set url = ${after.url}, events = ${after.events}::text[], description = ${after.description},
        updated_at = ${tx.now}
      where workspace_id = ${webhook.workspaceId} and id = ${webhookId}`),
    audit(tx, actor, { type: 'webhook.changed', subjectId: webhookId, data: { changed } }),
  ]);
  if (changed.includes('status')) await (status === 'active' ? enable(tx, webhook) : disable(tx, webhook));
  if (changed.includes('url') && status === 'active') await tryAgain(tx, webhook);
  return getWebhook(tx, webhook);
}

export async function deleteWebhook(tx: Tx, actor: Actor, { webhookId }: WebhookRef): Promise<void> {
  const webhook = { workspaceId: actor.workspaceId, webhookId };
  await refuseInUse(tx, actor.workspaceId, { kind: 'webhook', id: webhookId });
  const { url } = await lockWebhook(tx, webhook);
  await together([
    tx.run(sql`delete from webhooks where workspace_id = ${webhook.workspaceId} and id = ${webhookId}`),
    audit(tx, actor, { type: 'webhook.deleted', subjectId: webhookId, data: { origin: new URL(url).origin } }),
  ]);
  await deleteLog(tx, webhook);
}

const overlapMs = 24 * 3_600_000;

/** Signs with a new secret. The previous secret also signs for a day, so that the receiver can change over. */
export async function rotateSecret(
  tx: Tx,
  seal: Seal,
  actor: Actor,
  { webhookId }: WebhookRef,
): Promise<CreatedWebhook> {
  const webhook = { workspaceId: actor.workspaceId, webhookId };
  await lockWebhook(tx, webhook);
  const key = newSigningKey();
  await together([
    tx.run(sql`
      update webhooks
      set secret = ${sealKey(seal, webhook, key)}, previous_secret = secret,
        previous_secret_until = ${new Date(tx.now.getTime() + overlapMs)}, updated_at = ${tx.now}
      where workspace_id = ${webhook.workspaceId} and id = ${webhookId}`),
    audit(tx, actor, { type: 'webhook.secret_rotated', subjectId: webhookId, data: {} }),
  ]);
  return { ...(await getWebhook(tx, webhook)), secret: secretOf(key) };
}

/**
 * Locks and reads the webhook. Until the commit nobody else changes it, adds deliveries or settles them. Throws 404.
 */
export async function lockWebhook(tx: Tx, webhook: WebhookKey): Promise<WebhookView> {
  const locked = await tx.run(sql`
    select 1 from webhooks
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}
    for no key update`);
  if (locked === 0) throw new AppError('webhook.not_found');
  return getWebhook(tx, webhook);
}

async function enable(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<void> {
  const start = await factsFromNow(tx);
  await tx.run(sql`
    update webhooks
    set status = 'active', disabled_reason = null, failing_since = null, paused_until = null,
      ${leaseEnded('webhook')},
      read_transaction_id = ${start.transactionId}::xid8, read_id = ${start.id}
    where workspace_id = ${workspaceId} and id = ${webhookId}`);
}

async function disable(tx: Tx, webhook: WebhookKey): Promise<void> {
  await tx.run(sql`
    update webhooks set status = 'disabled', disabled_reason = null
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}`);
  await giveUpPending(tx, webhook);
}

/** More than a minute's sends. The remaining deliveries follow at their own times. */
const triedAtOnceMax = 5_000;

/**
 * Also clears the lease: deliveries in flight to the old address are sent to the new address, and the old answers are
 * ignored.
 */
async function tryAgain(tx: Tx, webhook: WebhookKey): Promise<void> {
  const { workspaceId, webhookId } = webhook;
  tx.touch(workspaceId);
  await together([
    tx.run(sql`
      update webhooks set failing_since = null, paused_until = null, slow_until = null, ${leaseEnded('webhook')}
      where workspace_id = ${workspaceId} and id = ${webhookId}`),
    tx.run(sql`
      update webhook_deliveries set next_attempt_at = ${tx.now}
      where workspace_id = ${workspaceId} and status = 'pending' and id = any(array(
        select id from webhook_deliveries
        where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and status = 'pending'
        order by next_attempt_at, id
        limit ${triedAtOnceMax}))`),
  ]);
}
