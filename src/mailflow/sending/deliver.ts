import type { App } from '../../app.ts';
import type { Jobs } from '../../catalog/jobs.ts';
import type { Tx } from '../../database/db.ts';
import { claimDelivery, type Delivery } from '../../deliveries/claim-delivery.ts';
import {
  beginHandingOver,
  type DeliveryOutcome,
  giveUpDelivery,
  settleCutOff,
  settleDelivery,
} from '../../deliveries/settle-delivery.ts';
import { domainOf } from '../../lib/plus-address.ts';
import { newMessageId } from '../../mail/compose.ts';
import type { OutgoingMail, SendOutcome } from '../../mail/transport.ts';
import { nameMailIds } from '../../messages/mail-ids.ts';
import { enqueue } from '../../queue/enqueue.ts';
import type { JobAttempt } from '../../queue/queue.ts';
import { retryDelayMs } from '../../queue/queue.ts';
import { composeAnswer, rootIdOf } from './compose-answer.ts';
import { deliverHosted } from './deliver-hosted.ts';

/**
 * Sends one answer by e-mail: through its ticket's mailbox, otherwise by SMTP. By SMTP three commits record the
 * progress: claimed, about to send the content, and finished. An attempt that is killed after the first is repeated.
 * An attempt that is killed after the second may have sent the mail, so it is shown as uncertain and not repeated.
 * Throws when sending is impossible for now: the queue retries. The attempt before the queue's last is the final one.
 * If that is killed too, the last run records the failure.
 */
export async function deliverMail(
  app: App,
  { workspaceId, messageId }: Jobs['mail.deliver'],
  { attempt, attemptsMax }: JobAttempt,
): Promise<void> {
  const { db, log } = app;
  const delivery = await db.tx((tx) => take(tx, app.config, { workspaceId, messageId }, attempt >= attemptsMax));
  if (delivery === undefined) return;
  if (delivery.isSample) return db.tx((tx) => settleSample(tx, delivery));
  if (delivery.through !== null) return deliverHosted(app, delivery, delivery.through, { attempt, attemptsMax });
  const outcome = await sendOnce(app, delivery);
  const end = endOf(outcome, attempt >= attemptsMax - 1, new Date(app.clock.now().getTime() + retryDelayMs(attempt)));
  const isOurs = await db.tx((tx) => settleDelivery(tx, delivery, end));
  if (outcome.ok) return;
  const { code } = outcome;
  if (!isOurs) log.info({ workspaceId, messageId, code }, 'an attempt to deliver an answer was overtaken by another');
  else if (end.status === 'queued') {
    // Only the code goes to the log, because the reason may contain addresses.
    throw new Error(`the mail could not be handed over for now: ${code}`);
  } else log.warn({ workspaceId, messageId, status: end.status, code }, 'an answer could not be delivered');
}

/**
 * Claims the answer. Saves its Message-ID and the ticket's root id before the mail leaves, so that replies find the
 * ticket.
 * @returns undefined when there is nothing to send
 */
async function take(
  tx: Tx,
  { mailFrom }: App['config'],
  named: { workspaceId: string; messageId: string },
  isBehindFinal: boolean,
): Promise<Delivery | undefined> {
  if (isBehindFinal) await giveUpDelivery(tx, named);
  const { workspaceId, messageId } = named;
  const rfcMessageId = newMessageId(domainOf(mailFrom.email), messageId);
  const delivery = await claimDelivery(tx, { ...named, rfcMessageId });
  if (delivery === undefined) {
    await settleCutOff(tx, named);
    return undefined;
  }
  const { ticketId } = delivery;
  const own = { id: delivery.rfcMessageId, messageId };
  await nameMailIds(tx, { workspaceId, ticketId }, { ids: [rootIdOf(ticketId, mailFrom)], own });
  return delivery;
}

/** About the time that a person needs to read and answer. */
const sampleReplyMs = 8_000;

/**
 * Mail of a sample ticket is never sent. It counts as sent, and the customer replies once to the last of several
 * answers.
 */
async function settleSample(tx: Tx, delivery: Delivery): Promise<void> {
  if (!(await settleDelivery(tx, delivery, { status: 'sent' }))) return;
  const { workspaceId, messageId, ticketId } = delivery;
  await enqueue(
    tx,
    'sample.answer',
    { workspaceId, messageId },
    { key: `sample.answer:${ticketId}`, runAt: new Date(tx.now.getTime() + sampleReplyMs) },
  );
}

async function sendOnce({ db, mail, blobs, config, clock }: App, delivery: Delivery): Promise<SendOutcome> {
  let composed: OutgoingMail;
  try {
    composed = composeAnswer({ config, blobs, date: clock.now() }, delivery);
  } catch (error) {
    const reason = `the mail could not be composed: ${(error as Error).message}`;
    return { ok: false, permanent: true, code: 'ECOMPOSE', reason };
  }
  return mail.send({ ...composed, beforeContent: () => db.tx((tx) => beginHandingOver(tx, delivery)) });
}

function endOf(outcome: SendOutcome, isFinal: boolean, nextAttemptAt: Date): DeliveryOutcome {
  if (outcome.ok) return { status: 'sent' };
  const { mayHaveLeft, permanent, reason: error } = outcome;
  if (mayHaveLeft) return { status: 'uncertain', error };
  return permanent || isFinal ? { status: 'failed', error } : { status: 'queued', error, nextAttemptAt };
}
