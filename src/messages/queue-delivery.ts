import type { Tx } from '../database/db.ts';
import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';

/**
 * The queue waits e to the power of the attempt, in seconds, and 6.1 hours from the tenth on: with the one that is left to
 * say that the last was cut off, so many last for two days (52 hours).
 */
export const deliveryAttemptsMax = 19;

/** The key of the only job of a delivery. */
export function deliveryKey(messageId: MessageId): string {
  return `mail.deliver:${messageId}`;
}

/** Has a queued message sent: now, or at its time. One that waits for its next attempt already is sent then instead. */
export function queueDelivery(
  tx: Tx,
  {
    workspaceId,
    messageId,
    runAt,
    attemptsMax = deliveryAttemptsMax,
  }: { workspaceId: WorkspaceId; messageId: MessageId; runAt?: Date | undefined; attemptsMax?: number },
): Promise<void> {
  return enqueue(
    tx,
    'mail.deliver',
    { workspaceId, messageId },
    { key: deliveryKey(messageId), maxAttempts: attemptsMax, ...(runAt && { runAt }) },
  );
}
