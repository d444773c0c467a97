import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';
import { readAddresses } from '../mail/addresses.ts';
import { composeMail, newMessageId, replyReferences, replySubject } from '../mail/compose.ts';
import type { SendOutcome, SendRefusal } from '../mail/transport.ts';
import type { JobAttempt } from '../platform/queue.ts';
import { retryDelayMs } from '../platform/queue.ts';
import { claimDelivery, type Delivery, settleDelivery } from '../tickets/delivery.ts';

/**
 * Sends one answer by e-mail. Its state is committed before the mail leaves and after: an attempt that was cut off in
 * between may or may not have left, so it is not repeated but shown as uncertain.
 * Throws when the way out is closed for now: the queue tries again. The attempt before the queue's last is the final one: if
 * that is cut off too, one run is left to say so.
 */
export async function deliverMail(
  { db, mail, config, clock, log }: App,
  { workspaceId, messageId }: Jobs['mail.deliver'],
  { attempt, attemptsMax }: JobAttempt,
): Promise<void> {
  const rfcMessageId = newMessageId(config.mailFrom.email.split('@')[1] ?? '', messageId);
  const delivery = await db.tx((tx) => claimDelivery(tx, { workspaceId, messageId, rfcMessageId }));
  if (delivery === undefined) {
    const error = 'the service was stopped while the mail was being handed over: whether it left is not known';
    await db.tx((tx) => settleDelivery(tx, { workspaceId, messageId }, { status: 'uncertain', error }));
    return;
  }
  const outcome = await sendOnce(mail, delivery, config.mailFrom, clock.now());
  if (outcome.ok) {
    await db.tx((tx) => settleDelivery(tx, delivery, { status: 'sent' }));
    return;
  }
  const status = endOf(outcome, attempt >= attemptsMax - 1);
  if (status !== 'queued') {
    log.warn({ workspaceId, messageId, status, code: outcome.code }, 'an answer could not be delivered');
    await db.tx((tx) => settleDelivery(tx, delivery, { status, error: outcome.reason }));
    return;
  }
  const nextAttemptAt = new Date(clock.now().getTime() + retryDelayMs(attempt));
  await db.tx((tx) => settleDelivery(tx, delivery, { status: 'queued', error: outcome.reason, nextAttemptAt }));
  // It goes to the log: not the reason, which may hold addresses.
  throw new Error(`the mail could not be handed over for now: ${outcome.code}`);
}

function endOf({ mayHaveLeft, permanent }: SendRefusal, isFinal: boolean): 'uncertain' | 'failed' | 'queued' {
  if (mayHaveLeft) return 'uncertain';
  return permanent || isFinal ? 'failed' : 'queued';
}

async function sendOnce(
  mail: App['mail'],
  delivery: Delivery,
  from: App['config']['mailFrom'],
  date: Date,
): Promise<SendOutcome> {
  let raw: Buffer;
  try {
    raw = await compose(delivery, from, date);
  } catch (error) {
    const reason = `the mail could not be composed: ${(error as Error).message}`;
    return { ok: false, permanent: true, code: 'ECOMPOSE', reason };
  }
  const recipients = [...new Set([...delivery.to, ...delivery.cc])];
  return mail.send({ envelopeFrom: from.email, recipients, raw });
}

async function compose(delivery: Delivery, from: App['config']['mailFrom'], date: Date): Promise<Buffer> {
  const { subject, conversation, answered } = delivery;
  const addresses = (list: string[]) => list.flatMap(readAddresses);
  return composeMail({
    from: { name: delivery.author.name ?? from.name, email: from.email },
    to: addresses(delivery.to),
    cc: addresses(delivery.cc),
    subject: answered === null ? subject : replySubject(subject),
    text: delivery.body,
    html: delivery.bodyHtml,
    messageId: delivery.rfcMessageId,
    inReplyTo: answered,
    references: replyReferences({ messageId: answered, inReplyTo: [], references: conversation }),
    date,
  });
}
