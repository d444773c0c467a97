import type { MailboxKey } from '../catalog/jobs.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { enqueue } from '../queue/enqueue.ts';

export const watchJobKey = (mailboxId: string): string => `mailbox.watch:${mailboxId}`;

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

/** Queues the job that makes or renews the provider's watches. May share a round trip. */
export function enqueueWatch(tx: Tx, { workspaceId, mailboxId }: MailboxKey, runAt?: Date): Promise<void> {
  const key = watchJobKey(mailboxId);
  return enqueue(tx, 'mailbox.watch', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/** Begins all work of a mailbox that is active again: watches, a sync and waiting answers. May share a round trip. */
export async function beginAllOf(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  const mailbox = { workspaceId, mailboxId };
  await together([
    requestSync(tx, mailbox),
    enqueueWatch(tx, mailbox),
    enqueue(tx, 'mailbox.resend', mailbox, { key: `mailbox.resend:${mailboxId}` }),
  ]);
}
