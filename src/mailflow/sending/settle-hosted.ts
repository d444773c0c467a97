import type { Db, Tx } from '../../database/db.ts';
import type { Delivery } from '../../deliveries/claim-delivery.ts';
import { noteUnsure } from '../../deliveries/mailbox-send.ts';
import { noteSentCopy } from '../../deliveries/note-sent-copy.ts';
import { settleDelivery } from '../../deliveries/settle-delivery.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ProviderFault, SentCopy } from '../../mail/provider.ts';
import { noteSendFault, noteSendSuccess } from '../../mailboxes/note-fault.ts';
import type { Mailbox } from '../../mailboxes/queries.ts';
import { deliveryAttemptsMax, queueDelivery } from '../../messages/queue-delivery.ts';
import type { Logger } from '../../platform/log.ts';
import { type JobAttempt, retryDelayMs } from '../../queue/queue.ts';

/** The end of an attempt to send through a mailbox. */
export type HostedEnd = { status: 'sent'; copy: SentCopy | null } | HostedTrouble;

type HostedTrouble = {
  /**
   * `later`: it did not leave, and may next time. `unsure`: it may have left. `uncertain`: whether it left stays
   * unknown.
   */
  status: 'later' | 'unsure' | 'failed' | 'uncertain';
  /** For the log; contains no addresses. */
  code: string;
  /** For people. */
  error: string;
  fault?: ProviderFault;
  retryAfterMs?: number | null;
};

type Attempted = { delivery: Delivery; mailbox: Mailbox; job: JobAttempt };

/** Saves the end of an attempt. Throws when the queue must retry. */
export async function settleHosted(
  { db, clock, log }: { db: Db; clock: Clock; log: Pick<Logger, 'info' | 'warn'> },
  attempted: Attempted,
  end: HostedEnd,
): Promise<void> {
  const { delivery, mailbox, job } = attempted;
  const { workspaceId, messageId } = delivery;
  if (end.status === 'sent') {
    const { copy } = end;
    await db.tx(async (tx) => {
      await noteSentCopy(tx, { workspaceId, messageId, mailboxId: mailbox.id, copy });
      await noteSendSuccess(tx, mailbox);
    });
    return;
  }
  const { code } = end;
  const last = lastWord(end, job);
  const delayMs = waitMs(end, job);
  const nextAttemptAt = new Date(clock.now().getTime() + delayMs);
  // The queue has its own retry delay. A provider may ask for a longer one.
  const runAt = delayMs > retryDelayMs(job.attempt) ? nextAttemptAt : undefined;
  const isOurs = await db.tx(async (tx) => {
    if (end.fault !== undefined) await noteSendFault(tx, mailbox, end.fault);
    if (last !== undefined) return settleDelivery(tx, delivery, { status: last, error: end.error });
    return wait(tx, attempted, { end, nextAttemptAt, runAt });
  });
  if (!isOurs) log.info({ workspaceId, messageId, code }, 'an attempt to deliver an answer was overtaken by another');
  else if (last !== undefined)
    log.warn({ workspaceId, messageId, status: last, code }, 'an answer could not be delivered');
  else if (runAt === undefined) throw new Error(`the mail could not be handed over to its mailbox for now: ${code}`);
  else log.info({ workspaceId, messageId, code, delayMs }, 'an answer waits for its mailbox');
}

/** The final status; undefined while attempts are left. The queue's last run sends nothing and only asks. */
function lastWord({ status }: HostedTrouble, { attempt, attemptsMax }: JobAttempt): 'failed' | 'uncertain' | undefined {
  if (status === 'failed' || status === 'uncertain') return status;
  if (status === 'unsure') return attempt >= attemptsMax ? 'uncertain' : undefined;
  return attempt >= attemptsMax - 1 ? 'failed' : undefined;
}

function waitMs({ retryAfterMs }: HostedTrouble, { attempt, attemptsMax }: JobAttempt): number {
  const own = retryDelayMs(attempt);
  if (retryAfterMs == null || retryAfterMs <= own) return own;
  // A newly queued job counts its attempts from one, so the earlier ones are added.
  return Math.max(retryAfterMs, retryDelayMs(deliveryAttemptsMax - attemptsMax + attempt));
}

/** @returns false when another attempt has taken over */
async function wait(
  tx: Tx,
  { delivery, job }: Attempted,
  { end, nextAttemptAt, runAt }: { end: HostedTrouble; nextAttemptAt: Date; runAt: Date | undefined },
): Promise<boolean> {
  const { error } = end;
  const isOurs =
    end.status === 'unsure'
      ? await noteUnsure(tx, delivery, { error, nextAttemptAt })
      : await settleDelivery(tx, delivery, { status: 'queued', error, nextAttemptAt });
  if (isOurs && runAt !== undefined) {
    await queueDelivery(tx, { ...delivery, runAt, attemptsMax: job.attemptsMax - job.attempt });
  }
  return isOurs;
}
