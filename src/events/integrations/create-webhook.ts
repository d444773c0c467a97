import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { factsFromNow } from '../activity/fact-reader.ts';
import { getWebhook, webhooksMax } from './queries.ts';
import type { CreatedWebhook, CreateWebhook } from './schema.ts';
import { sealKey } from './sealed-keys.ts';
import { newSigningKey, secretOf } from './signature.ts';

/** Creates a webhook for a checked address, which gets all later facts. Throws 409 `webhook.too_many`. */
export async function createWebhook(
  tx: Tx,
  seal: Seal,
  actor: Actor,
  { url, events = [], description }: CreateWebhook,
): Promise<CreatedWebhook> {
  const { workspaceId, userId } = actor;
  const [, { count }] = await together([
    lockWorkspace(tx, workspaceId),
    tx.one<{ count: number }>(sql`select count(*) from webhooks where workspace_id = ${workspaceId}`),
  ]);
  if (count >= webhooksMax) throw new AppError('webhook.too_many', { max: webhooksMax });
  const webhook = { workspaceId, webhookId: tx.newId() };
  const key = newSigningKey();
  const start = await factsFromNow(tx);
  await together([
    tx.run(sql`
      insert into webhooks (workspace_id, id, url, description, events, status, secret, read_transaction_id, read_id,
        created_by_id, created_at, updated_at)
      values (${workspaceId}, ${webhook.webhookId}, ${url}, ${description || null},
        ${[...new Set(events)]}::text[], 'active',
        ${sealKey(seal, webhook, key)}, ${start.transactionId}::xid8, ${start.id}, ${userId}, ${tx.now}, ${tx.now})`),
    audit(tx, actor, { type: 'webhook.created', subjectId: webhook.webhookId, data: { origin: new URL(url).origin } }),
  ]);
  return { ...(await getWebhook(tx, webhook)), secret: secretOf(key) };
}
