import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { renewWatches } from './renew-watches.ts';

/**
 * Makes the mailbox due for a sync. May share a round trip.
 * @param againAt when another sync follows
 */
export async function requestSync(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  { dueAt = tx.now, againAt = null }: { dueAt?: Date; againAt?: Date | null } = {},
): Promise<void> {
  tx.touch(workspaceId);
  await tx.run(sql`
    update mailbox_syncs
    set due_at = least(due_at, ${dueAt}), again_at = coalesce(${againAt}, again_at)
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}

/** Begins all work of a mailbox that is active again: watches, a sync and waiting answers. May share a round trip. */
export async function beginAllOf(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  const mailbox = { workspaceId, mailboxId };
  await together([
    requestSync(tx, mailbox),
    renewWatches(tx, mailbox),
    enqueue(tx, 'mailbox.resend', mailbox, { key: `mailbox.resend:${mailboxId}` }),
  ]);
}
