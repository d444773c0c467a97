import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { providerKeys } from '../providers/registry.ts';

/** Deletes subscriptions that the provider reports as dropped. Due work makes new ones. May share a round trip. */
export async function forgetWatches(tx: Tx, subscriptionIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from mailbox_watches w
    using mailbox_routes r
    where r.provider = ${providerKeys.microsoft} and r.route_key = any(${subscriptionIds}::text[])
      and w.workspace_id = r.workspace_id and w.mailbox_id = r.mailbox_id and w.subscription_id = r.route_key`);
}

/** Graph repeats its reauthorization requests, and allows one renewal in this time. */
export const renewalRestMs = 600_000;

/** Makes a mailbox's watches due for renewal, except those renewed a short time ago. May share a round trip. */
export async function renewWatches(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  tx.touch(workspaceId);
  await tx.run(sql`
    update mailbox_watches set renewed_at = 'epoch'
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
      and renewed_at > 'epoch' and renewed_at < ${new Date(tx.now.getTime() - renewalRestMs)}`);
}
