import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { providerKeys } from '../mail/providers/registry.ts';

/**
 * Deletes subscriptions that the provider reports as dropped. `mailbox.watch` makes new ones. May share a round trip.
 */
export async function forgetWatches(tx: Tx, subscriptionIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from mailbox_watches w
    using mailbox_routes r
    where r.provider = ${providerKeys.microsoft} and r.route_key = any(${subscriptionIds}::text[])
      and w.workspace_id = r.workspace_id and w.mailbox_id = r.mailbox_id and w.subscription_id = r.route_key`);
}
