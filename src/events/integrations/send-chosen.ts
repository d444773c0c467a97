import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WebhookKey } from './queries.ts';
import type { ruleEvent } from './schema.ts';

/** Sends one webhook an event of its own, which no other gets. Throws 404, and 409 `webhook.disabled`. */
export async function sendChosen(
  tx: Tx,
  { workspaceId, webhookId }: WebhookKey,
  { type, data }: { type: typeof ruleEvent; data: object },
): Promise<void> {
  // The row stays unlocked, because whoever sends its deliveries updates it.
  const webhook = await tx.maybe<{ status: string }>(sql`
    select status from webhooks where workspace_id = ${workspaceId} and id = ${webhookId}`);
  if (webhook === undefined) throw new AppError('webhook.not_found');
  if (webhook.status !== 'active') throw new AppError('webhook.disabled');
  const payload = { type, timestamp: tx.now.toISOString(), data: { workspaceId, ...data } };
  tx.touch(workspaceId);
  await tx.run(sql`
    insert into webhook_deliveries (workspace_id, id, webhook_id, type, payload, status, next_attempt_at, created_at)
    values (${workspaceId}, ${tx.newId()}, ${webhookId}, ${type}, ${JSON.stringify(payload)}, 'pending', ${tx.now},
      ${tx.now})`);
}
