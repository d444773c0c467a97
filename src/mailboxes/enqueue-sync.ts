import type { Jobs } from '../catalog/jobs.ts';
import type { Tx } from '../platform/db.ts';
import { enqueue } from '../platform/enqueue.ts';

/** Of many that are asked for while one waits, one is done. */
export const syncJobKey = (mailboxId: string): string => `mailbox.sync:${mailboxId}`;
export const watchJobKey = (mailboxId: string): string => `mailbox.watch:${mailboxId}`;

/** Has what is new in the mailbox fetched. May be sent along with others. */
export function enqueueSync(tx: Tx, { workspaceId, mailboxId }: Jobs['mailbox.sync'], runAt?: Date): Promise<void> {
  const key = syncJobKey(mailboxId);
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/** Has it seen to that the provider tells us of the mailbox's mail. May be sent along with others. */
export function enqueueWatch(tx: Tx, { workspaceId, mailboxId }: Jobs['mailbox.watch']): Promise<void> {
  return enqueue(tx, 'mailbox.watch', { workspaceId, mailboxId }, { key: watchJobKey(mailboxId) });
}
