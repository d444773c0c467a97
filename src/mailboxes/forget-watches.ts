import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/**
 * Forgets the subscriptions of which the provider says that it has dropped them: `mailbox.watch` makes others. May be sent
 * along with others.
 */
export async function forgetWatches(tx: Tx, subscriptionIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from mailbox_watches w
    using mailbox_routes r
    where r.provider = 'mail-a' and r.route_key = any(${subscriptionIds}::text[])
      and w.workspace_id = r.workspace_id and w.mailbox_id = r.mailbox_id and w.subscription_id = r.route_key`);
}
