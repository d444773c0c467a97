import type { Tx } from '../../ground/database/db.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

/**
 * The queue pauses e^attempt seconds after each attempt, and 6.1 hours from the tenth attempt on.
 * Eighteen attempts therefore span 52 hours, about two days. The nineteenth only reports that the last was cut off.
 */
export const deliveryAttemptsMax = 19;

/** A delivery has at most one job, and the job has this key. */
export function deliveryKey(messageId: MessageId): string {
  return `mail.deliver:${messageId}`;
}

/** Queues a message for sending, now or at `runAt`. Replaces the time of a next attempt that is already queued. */
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
    { key: deliveryKey(messageId), maxAttempts: attemptsMax, isSwept: true, ...(runAt && { runAt }) },
  );
}
