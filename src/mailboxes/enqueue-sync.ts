import type { MailboxKey } from '../catalog/jobs.ts';
import { type Tx, together } from '../database/db.ts';
import { enqueue } from '../queue/enqueue.ts';

/** Jobs with this key replace each other while they wait. */
export const syncJobKey = (mailboxId: string): string => `mailbox.sync:${mailboxId}`;
/** A key of its own, so that neither job delays or replaces the other. */
export const lookAgainJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:again`;
export const retryJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:retry`;
export const whenFreeJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:when-free`;
export const watchJobKey = (mailboxId: string): string => `mailbox.watch:${mailboxId}`;

/** Queues a sync of the mailbox. May share a round trip. */
export function enqueueSync(tx: Tx, { workspaceId, mailboxId }: MailboxKey, runAt?: Date): Promise<void> {
  const key = syncJobKey(mailboxId);
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/**
 * Queues a check for when the current lease expires, in case its holder died. Uses its own key, so that a queued sync
 * keeps its next attempt.
 */
export function enqueueWhenFree(tx: Tx, { workspaceId, mailboxId }: MailboxKey, runAt: Date): Promise<void> {
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, { key: whenFreeJobKey(mailboxId), runAt });
}

/** Queues the next sync that retries mails, under its own key: it replaces only an earlier retry. */
export function enqueueRetry(tx: Tx, { workspaceId, mailboxId }: MailboxKey, runAt: Date): Promise<void> {
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, { key: retryJobKey(mailboxId), runAt });
}

/** Queues the job that makes or renews the provider's watches. May share a round trip. */
export function enqueueWatch(tx: Tx, { workspaceId, mailboxId }: MailboxKey, runAt?: Date): Promise<void> {
  const key = watchJobKey(mailboxId);
  return enqueue(tx, 'mailbox.watch', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/** Queues all work of a mailbox that is active again: watches, a sync and waiting answers. May share a round trip. */
export async function enqueueAllOf(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  const mailbox = { workspaceId, mailboxId };
  await together([
    enqueueWatch(tx, mailbox),
    enqueueSync(tx, mailbox),
    enqueue(tx, 'mailbox.resend', mailbox, { key: `mailbox.resend:${mailboxId}` }),
  ]);
}
