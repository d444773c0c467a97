import { audit } from '../../access/audit/audit.ts';
import type { WebhookEnd } from '../../ground/catalog/jobs.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { leaseEnded } from '../../ground/queue/lease.ts';
import { giveUpPending } from './clear-deliveries.ts';
import type { WebhookKey } from './queries.ts';

const reasons: Record<WebhookEnd, string> = {
  gone: 'The receiver answered that it is gone (410).',
  failing: 'Nothing has arrived for a day, though it was tried.',
};

/** Disables a webhook whose receiver is gone or failing, and tells the workspace's owners and admins. */
export async function disableForGood(tx: Tx, webhook: WebhookKey & { url: string }, cause: WebhookEnd): Promise<void> {
  const { workspaceId, webhookId } = webhook;
  const { origin } = new URL(webhook.url);
  await tx.run(sql`
    update webhooks
    set status = 'disabled', disabled_reason = ${reasons[cause]}, ${leaseEnded('webhook')}, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${webhookId}`);
  await giveUpPending(tx, webhook);
  const entry = { type: 'webhook.disabled', subjectId: webhookId, data: { origin, reason: cause } } as const;
  await audit(tx, { workspaceId, userId: null }, entry);
  const people = await tx.rows<{ userId: UserId }>(sql`
    select user_id as "userId"
    from members
    where workspace_id = ${workspaceId} and role in ('owner', 'admin') and removed_at is null
    order by user_id
    limit ${peopleMax}`);
  await together(
    people.map(({ userId }) =>
      enqueue(tx, 'system-mail.send', { kind: 'webhook-disabled', workspaceId, userId, origin, cause }),
    ),
  );
}

const peopleMax = 50;
