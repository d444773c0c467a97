import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import type { WebhookKey } from './queries.ts';

export function sealKey(seal: Seal, webhook: WebhookKey, key: Uint8Array): string {
  return seal.seal(key, contextOf(webhook));
}

export type SealedKeys = { secret: string; previousSecret: string | null; previousSecretUntil: string | null };

/** The keys that sign now, newest first. */
export function openKeys(seal: Seal, webhook: WebhookKey, sealed: SealedKeys, now: Date): Uint8Array[] {
  const { secret, previousSecret, previousSecretUntil } = sealed;
  const isOverlap = previousSecretUntil !== null && Date.parse(previousSecretUntil) > now.getTime();
  const sealedKeys = previousSecret !== null && isOverlap ? [secret, previousSecret] : [secret];
  return sealedKeys.map((text) => seal.open(text, contextOf(webhook)));
}

function contextOf({ workspaceId, webhookId }: WebhookKey): string {
  return `webhook:${workspaceId}/${webhookId}`;
}

/** Counts webhooks whose secret no present key can open (`lost`), and those sealed with an older key (`outdated`). */
export function countSealedKeys(
  db: Queryable,
  { keyIds }: Pick<Seal, 'keyIds'>,
): Promise<{ lost: number; outdated: number }> {
  return db.one<{ lost: number; outdated: number }>(sql`
    select count(*) filter (where not split_part(secret, '.', 2) = any(${keyIds}::text[])) as lost,
      count(*) filter (where split_part(secret, '.', 2) = any(${keyIds.slice(1)}::text[])) as outdated
    from webhooks`);
}

const batchMax = 500;

/**
 * Reseals secrets that an older key sealed, in all workspaces, so that operators can remove that key. Deletes expired
 * previous secrets.
 */
export async function resealWebhooks(db: Db, seal: Seal): Promise<void> {
  const olderKeys = seal.keyIds.slice(1);
  await db.tx((tx) =>
    tx.run(sql`
      update webhooks set previous_secret = null, previous_secret_until = null
      where previous_secret_until <= ${tx.now}`),
  );
  for (;;) {
    const webhooks = await db.rows<WebhookKey>(sql`
      select workspace_id as "workspaceId", id as "webhookId"
      from webhooks
      where split_part(secret, '.', 2) = any(${olderKeys}::text[])
        or split_part(previous_secret, '.', 2) = any(${olderKeys}::text[])
      order by workspace_id, id
      limit ${batchMax}`);
    for (const webhook of webhooks) await db.tx((tx) => reseal(tx, seal, webhook));
    if (webhooks.length < batchMax) return;
  }
}

async function reseal(tx: Tx, seal: Seal, webhook: WebhookKey): Promise<void> {
  const row = await tx.maybe<{ secret: string; previousSecret: string | null }>(sql`
    select secret, previous_secret as "previousSecret"
    from webhooks
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}
    for no key update`);
  if (row === undefined) return;
  const anew = (text: string) => sealKey(seal, webhook, seal.open(text, contextOf(webhook)));
  await tx.run(sql`
    update webhooks
    set secret = ${anew(row.secret)}, previous_secret = ${row.previousSecret === null ? null : anew(row.previousSecret)}
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}`);
}
