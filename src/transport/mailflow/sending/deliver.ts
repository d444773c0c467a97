import { newMessageId } from '@kontor/mail/compose.ts';
import { limitNewRecipients } from '../../../access/workspaces/limit-recipients.ts';
import type { App } from '../../../app.ts';
import type { Jobs } from '../../../ground/catalog/jobs.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { domainOf } from '../../../ground/lib/plus-address.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { type JobAttempt, retryDelayMs } from '../../../ground/queue/queue.ts';
import { hasSmtp } from '../../../ground/settings/mail-settings.ts';
import { nameMailIds } from '../../../helpdesk/messages/mail-ids.ts';
import { deliveryAttemptsMax, queueDelivery } from '../../../helpdesk/messages/queue-delivery.ts';
import { noteSendFault, noteSendSuccess } from '../../../mail/mailboxes/status/note-fault.ts';
import {
  type OutgoingMail,
  refusal,
  type SendOutcome,
  type SendRefusal,
  type SentOutcome,
} from '../../../mail/transport.ts';
import { claimDelivery, type Delivery } from '../../deliveries/claim-delivery.ts';
import { noteSentCopy } from '../../deliveries/note-sent-copy.ts';
import { releaseDue } from '../../deliveries/scheduled.ts';
import { markBounced, settleDelivery } from '../../deliveries/settle-delivery.ts';
import { type DeliveryEvent, statusAfter } from '../../deliveries/state.ts';
import { changeOwn, type DeliveryKey } from '../../deliveries/write.ts';
import { composeAnswer, rootIdOf } from './compose-answer.ts';
import { keepUnfiled } from './file-copy.ts';
import { sendThroughMailbox } from './send-through-mailbox.ts';

/**
 * Sends one answer by e-mail: through its ticket's mailbox, otherwise by SMTP. Three commits record the progress:
 * claimed, about to send the content, and finished. An attempt that is killed after the first is repeated. After the
 * second, the mail may have left: a mailbox is asked, and by SMTP the mail is shown as uncertain and not repeated.
 * Throws when sending is impossible for now: the queue retries. The attempt before the queue's last is the final
 * attempt. If that attempt is killed too, the last run records the failure. Through a mailbox, it only asks about the
 * attempt before.
 */
export async function deliverMail(
  app: App,
  { workspaceId, messageId }: Jobs['mail.deliver'],
  job: JobAttempt,
): Promise<void> {
  const { db } = app;
  const delivery = await db.tx((tx) => claimAnswer(tx, app.config, { workspaceId, messageId }, job));
  if (delivery === undefined) return;
  if (delivery.isSample) return db.tx((tx) => settleSample(tx, delivery));
  const { through } = delivery;
  const outcome = await (through === null
    ? sendBySmtp(app, delivery)
    : sendThroughMailbox(app, delivery, through, job));
  await settleAttempt(app, delivery, outcome, job);
}

/**
 * Claims the answer. Saves its Message-ID and the ticket's root id before the mail leaves, so that replies find the
 * ticket.
 * @returns undefined when there is nothing to send
 */
async function claimAnswer(
  tx: Tx,
  { mailFrom }: App['config'],
  key: DeliveryKey,
  { attempt, attemptsMax }: JobAttempt,
): Promise<Delivery | undefined> {
  if (attempt >= attemptsMax) {
    const error = 'the service was stopped at every attempt before the mail could be handed over';
    await settleDelivery(tx, key, 'give-up', { error });
  }
  const { workspaceId, messageId } = key;
  const rfcMessageId = newMessageId(domainOf(mailFrom.email), messageId);
  const claim = () => claimDelivery(tx, { ...key, rfcMessageId });
  const delivery = (await claim()) ?? ((await releaseDue(tx, key)) ? await claim() : undefined);
  if (delivery === undefined) {
    const error = 'the service was stopped while the mail was being handed over: whether it left is not known';
    await settleDelivery(tx, key, 'cut-off', { error });
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
  if (!(await settleDelivery(tx, delivery, 'send'))) return;
  const { workspaceId, messageId, ticketId } = delivery;
  await enqueue(
    tx,
    'sample.answer',
    { workspaceId, messageId },
    { key: `sample.answer:${ticketId}`, runAt: new Date(tx.now.getTime() + sampleReplyMs) },
  );
}

async function sendBySmtp(app: App, delivery: Delivery): Promise<SendOutcome> {
  const { db, mail, blobs, config, clock, surveyLinks } = app;
  if (delivery.fromAddress !== null) {
    const reason = `no mailbox of this ticket sends from ${delivery.fromAddress} any more`;
    return refusal('EFROM', reason, { permanent: true });
  }
  const refused = delivery.isOfMailbox ? await refusedWithoutMailbox(app, delivery) : undefined;
  if (refused !== undefined) return refused;
  let composed: OutgoingMail;
  try {
    composed = composeAnswer({ config, blobs, surveyLinks, date: clock.now() }, delivery);
  } catch (error) {
    const reason = `the mail could not be composed: ${(error as Error).message}`;
    return refusal('ECOMPOSE', reason, { permanent: true });
  }
  return mail.send({ ...composed, beforeContent: () => db.tx((tx) => changeOwn(tx, delivery, 'hand-over')) });
}

/** A mailbox may answer more people than the service, and was disconnected since the answer was accepted. */
async function refusedWithoutMailbox(app: App, delivery: Delivery): Promise<SendRefusal | undefined> {
  // Nobody would get the file that stands for a mail where no mail server is set.
  if (hasSmtp(app.config)) return refusedByLimit(app, delivery);
  const reason = 'the mailbox is disconnected: connect it again, or move the ticket to another mailbox';
  return refusal('EMAILBOX', reason, { permanent: true });
}

async function refusedByLimit({ db }: App, delivery: Delivery): Promise<SendRefusal | undefined> {
  const { workspaceId, ticketId, to, cc, bcc } = delivery;
  const mailed = { workspaceId, ticketId, emails: [...to, ...cc, ...bcc] };
  try {
    await db.tx((tx) => limitNewRecipients(tx, mailed));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.key !== 'workspace.recipient_limit') throw error;
    const reason =
      'the mailbox is disconnected, and the service may write to no more new recipients today: ' +
      'connect the mailbox again, or try again tomorrow';
    return refusal('ERECIPIENTS', reason, { permanent: true });
  }
}

/** Saves the end of an attempt. Throws when the queue must retry. */
async function settleAttempt({ db, clock, log }: App, delivery: Delivery, outcome: SendOutcome, job: JobAttempt) {
  if (outcome.ok) return db.tx((tx) => settleSent(tx, delivery, outcome));
  const { workspaceId, messageId, through } = delivery;
  const event = eventOf(outcome, job, { canAsk: through !== null });
  const { code, reason: error, fault } = outcome;
  const waits = event === 'postpone' || event === 'keep-asking';
  const delayMs = delayAfter(outcome, job);
  const nextAttemptAt = waits ? new Date(clock.now().getTime() + delayMs) : undefined;
  // The queue has its own retry delay. A provider may ask for a longer delay.
  const runAt = delayMs > retryDelayMs(job.attempt) ? nextAttemptAt : undefined;
  const isOurs = await db.tx(async (tx) => {
    if (through !== null && fault !== undefined) await noteSendFault(tx, through.mailbox, fault);
    if (!(await settleDelivery(tx, delivery, event, { error, nextAttemptAt }))) return false;
    if (runAt !== undefined) {
      await queueDelivery(tx, { workspaceId, messageId, runAt, attemptsMax: job.attemptsMax - job.attempt });
    }
    return true;
  });
  // Only the code goes to the log, because the reason may contain addresses.
  if (!isOurs) log.info({ workspaceId, messageId, code }, 'an attempt to deliver an answer was overtaken by another');
  else if (runAt !== undefined) log.info({ workspaceId, messageId, code, delayMs }, 'an answer waits for its mailbox');
  else if (waits) throw new Error(`the mail could not be handed over for now: ${code}`);
  else log.warn({ workspaceId, messageId, status: statusAfter(event), code }, 'an answer could not be delivered');
}

async function settleSent(
  tx: Tx,
  delivery: Delivery,
  { copy = null, unfiled, refused, isFile }: SentOutcome,
): Promise<void> {
  const { workspaceId, messageId, through } = delivery;
  if (through === null) await settleDelivery(tx, delivery, 'send', { isFile: isFile === true });
  else {
    await noteSentCopy(tx, { workspaceId, messageId, mailboxId: through.mailbox.id, copy });
    if (unfiled !== undefined)
      await keepUnfiled(tx, { workspaceId, messageId, mailboxId: through.mailbox.id }, unfiled);
    await noteSendSuccess(tx, through.mailbox);
  }
  if (refused === undefined) return;
  // As a bounce would tell: the mail left, and some people do not get it.
  const bounceKind = refused.code.startsWith('4') ? 'soft' : 'hard';
  await markBounced(tx, { workspaceId, messageId, error: refused.reason, bounceKind, enhancedStatusCode: null });
}

/** By SMTP, nobody can tell later whether a mail left. A mailbox is asked until the queue's last run. */
function eventOf(
  { permanent, mayHaveLeft }: SendRefusal,
  { attempt, attemptsMax }: JobAttempt,
  { canAsk }: { canAsk: boolean },
): DeliveryEvent {
  if (mayHaveLeft) return canAsk && !permanent && attempt < attemptsMax ? 'keep-asking' : 'lose';
  return permanent || attempt >= attemptsMax - 1 ? 'fail' : 'postpone';
}

function delayAfter({ fault }: SendRefusal, { attempt, attemptsMax }: JobAttempt): number {
  const own = retryDelayMs(attempt);
  const asked = fault?.retryAfterMs ?? 0;
  // A newly queued job counts its attempts from one, so the earlier attempts are added.
  return asked <= own ? own : Math.max(asked, retryDelayMs(deliveryAttemptsMax - attemptsMax + attempt));
}
