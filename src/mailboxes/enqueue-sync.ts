import type { Jobs } from '../catalog/jobs.ts';
import { type Tx, together } from '../database/db.ts';
import { enqueue } from '../queue/enqueue.ts';

type Named = Jobs['mailbox.sync'];

/** Of many that are asked for while one waits, one is done. */
export const syncJobKey = (mailboxId: string): string => `mailbox.sync:${mailboxId}`;
/** Beside that one: neither holds the other up nor takes its place. */
export const lookAgainJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:again`;
export const retryJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:retry`;
export const whenFreeJobKey = (mailboxId: string): string => `${syncJobKey(mailboxId)}:when-free`;
export const watchJobKey = (mailboxId: string): string => `mailbox.watch:${mailboxId}`;

/** Has what is new in the mailbox fetched. May be sent along with others. */
export function enqueueSync(tx: Tx, { workspaceId, mailboxId }: Named, runAt?: Date): Promise<void> {
  const key = syncJobKey(mailboxId);
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/**
 * Has it looked whether somebody still reads the mailbox, once the lease of whoever does has run out: beside all that is asked for, as that one's job
 * is to keep its next attempt.
 */
export function enqueueWhenFree(tx: Tx, { workspaceId, mailboxId }: Named, runAt: Date): Promise<void> {
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, { key: whenFreeJobKey(mailboxId), runAt });
}

/** Queues the next sync that retries mails, under its own key: it replaces only an earlier retry. */
export function enqueueRetry(tx: Tx, { workspaceId, mailboxId }: Named, runAt: Date): Promise<void> {
  return enqueue(tx, 'mailbox.sync', { workspaceId, mailboxId }, { key: retryJobKey(mailboxId), runAt });
}

/** Has it seen to that the provider tells us of the mailbox's mail. May be sent along with others. */
export function enqueueWatch(tx: Tx, { workspaceId, mailboxId }: Named, runAt?: Date): Promise<void> {
  const key = watchJobKey(mailboxId);
  return enqueue(tx, 'mailbox.watch', { workspaceId, mailboxId }, runAt === undefined ? { key } : { key, runAt });
}

/**
 * All that is due when a mailbox works again: what came is fetched, what waits to go out leaves. May be sent along with
 * others.
 */
export async function enqueueAllOf(tx: Tx, { workspaceId, mailboxId }: Named): Promise<void> {
  const mailbox = { workspaceId, mailboxId };
  await together([
    enqueueWatch(tx, mailbox),
    enqueueSync(tx, mailbox),
    enqueue(tx, 'mailbox.resend', mailbox, { key: `mailbox.resend:${mailboxId}` }),
  ]);
}
