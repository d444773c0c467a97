import type { Blobs } from '../../blobs/blobs.ts';
import type { Delivery } from '../../deliveries/claim-delivery.ts';
import { beginAnew, type MailboxSend, noteDraft } from '../../deliveries/mailbox-send.ts';
import { beginHandingOver } from '../../deliveries/settle-delivery.ts';
import { type HostedMail, type ProviderAccount, ProviderFault, type SentCopy } from '../../mail/provider.ts';
import { type AccountParts, openAccount } from '../../mailboxes/open-account.ts';
import type { Mailbox } from '../../mailboxes/queries.ts';
import type { Logger } from '../../platform/log.ts';
import type { JobAttempt } from '../../queue/queue.ts';
import type { Config } from '../../settings/config.ts';
import { composeHosted } from './compose-answer.ts';
import { type HostedEnd, settleHosted } from './settle-hosted.ts';
import { readThreadSubject } from './thread-subject.ts';

export type HostedParts = AccountParts & {
  blobs: Blobs;
  config: Pick<Config, 'mailFrom' | 'smtpListen'>;
  log: Pick<Logger, 'info' | 'warn'>;
};

/**
 * Sends a claimed answer through its mailbox. Once the mail may have left, each attempt first asks the mailbox for it.
 * It is sent again only after it was missing for so long that it cannot have left. So the recipients get it once.
 * Throws when the queue must retry.
 */
export async function deliverHosted(
  parts: HostedParts,
  delivery: Delivery,
  through: MailboxSend,
  job: JobAttempt,
): Promise<void> {
  const end = await attemptHosted(parts, delivery, through, job);
  await settleHosted(parts, { delivery, mailbox: through.mailbox, job }, end);
}

async function attemptHosted(
  parts: HostedParts,
  delivery: Delivery,
  through: MailboxSend,
  job: JobAttempt,
): Promise<HostedEnd> {
  const { mailbox, handedOverAt } = through;
  const waiting = waitsFor(mailbox);
  if (waiting !== undefined) {
    return handedOverAt === null ? waiting : { ...waiting, status: 'unsure', error: `${unsure} ${waiting.error}` };
  }
  if (mailbox.status === 'disconnected') {
    const { address } = mailbox;
    const error = `The mailbox ${address} was disconnected while it sent the mail: whether the mail left is not known.`;
    return { status: 'uncertain', code: 'disconnected', error };
  }
  const account = openAccount(parts, mailbox);
  if (handedOverAt === null) return sendOnce(parts, { account, delivery, through });
  const found = await ask(parts, account, delivery, { ...through, handedOverAt });
  if ('status' in found) return found;
  // The queue's last run only asks about the attempt before.
  if (job.attempt >= job.attemptsMax) {
    return { status: 'failed', code: 'attempts', error: 'The mail could not be sent at any attempt.' };
  }
  await parts.db.tx((tx) => beginAnew(tx, delivery, found.draftId));
  const anew = { ...through, draftId: found.draftId, handedOverAt: null, unsureSince: null };
  return sendOnce(parts, { account, delivery, through: anew });
}

/** Pauses that end only when somebody acts, so that asking the mailbox is useless. */
function waitsFor({ status, address }: Mailbox): (HostedEnd & { status: 'later' }) | undefined {
  if (status === 'paused') {
    return { status: 'later', code: 'paused', error: `The mailbox ${address} is paused.` };
  }
  if (status === 'reauthorization_required') {
    return { status: 'later', code: 'unauthorized', error: reconnect(address) };
  }
  return undefined;
}

function reconnect(address: string): string {
  return `The mailbox ${address} must be connected again.`;
}

/** Our clock and the provider's may differ. */
const marginMs = 60_000;
/** A sent mail shows in the sent folder within seconds. */
const patienceMs = 2 * 60_000;
/** A missing draft was most likely sent and shows late, or somebody deleted it. */
const draftPatienceMs = 30 * 60_000;

/** @returns the end of the attempt; if the mail did not leave, its remaining draft */
async function ask(
  { clock }: HostedParts,
  account: ProviderAccount,
  { rfcMessageId }: Delivery,
  { thread, draftId, handedOverAt, unsureSince }: MailboxSend & { handedOverAt: string },
): Promise<HostedEnd | { draftId: string | null }> {
  const since = new Date(Date.parse(handedOverAt) - marginMs);
  let found: SentCopy | 'draft' | undefined;
  try {
    found = await account.findSent({ rfcMessageId, draftId, threadId: thread?.id ?? null, since });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { code, message, retryAfterMs } = error;
    return { status: 'unsure', code, error: `${unsure} ${message}`, fault: error, retryAfterMs };
  }
  if (found === 'draft') return { draftId };
  if (found !== undefined) return { status: 'sent', copy: found };
  const patience = draftId === null ? patienceMs : draftPatienceMs;
  const isSettled = unsureSince !== null && clock.now().getTime() - Date.parse(unsureSince) >= patience;
  return isSettled ? { draftId: null } : { status: 'unsure', code: 'unsure', error: unsure };
}

const unsure = 'It is not known yet whether the mail left: its mailbox is being asked.';

type Sending = { account: ProviderAccount; delivery: Delivery; through: MailboxSend };

async function sendOnce(parts: HostedParts, sending: Sending): Promise<HostedEnd> {
  const { db, log } = parts;
  const { account, delivery, through } = sending;
  let { draftId } = through;
  let handedOverAt: string | null = null;
  const handOver = async () => {
    await db.tx((tx) => beginHandingOver(tx, delivery));
    handedOverAt = parts.clock.now().toISOString();
  };
  try {
    const mail = await compose(parts, delivery, through);
    if ('status' in mail) return mail;
    const copy = await account.send(mail, {
      draftId: through.draftId,
      onDraft: async (id) => {
        await db.tx((tx) => noteDraft(tx, delivery, id));
        draftId = id;
      },
      beforeSend: handOver,
    });
    return { status: 'sent', copy };
  } catch (error) {
    if (error instanceof ProviderFault) {
      // The draft is gone. An earlier attempt may have sent it, so the next attempt must ask first.
      if (error.mayHaveHappened && handedOverAt === null) await handOver();
      const asked = { ...sending, through: { ...through, draftId } };
      return endOfFault(parts, asked, { fault: error, handedOverAt });
    }
    const { workspaceId, messageId } = delivery;
    log.warn({ err: error, workspaceId, messageId }, 'an answer could not be handed over to its mailbox');
    if (handedOverAt !== null) return { status: 'unsure', code: 'EHANDOVER', error: unsure };
    return { status: 'later', code: 'EHANDOVER', error: 'The mail or one of its files could not be read.' };
  }
}

async function compose(
  { blobs, config, clock }: HostedParts,
  delivery: Delivery,
  through: MailboxSend,
): Promise<HostedMail | HostedEnd> {
  const newest = through.thread?.newestSha256 ?? null;
  const threadSubject = newest === null ? undefined : await readThreadSubject(blobs, delivery.workspaceId, newest);
  try {
    return composeHosted({ config, blobs, date: clock.now() }, delivery, through, threadSubject);
  } catch (error) {
    const reason = `The mail could not be composed: ${(error as Error).message}.`;
    return { status: 'failed', code: 'ECOMPOSE', error: reason };
  }
}

/**
 * Asks at once about a mail that the provider refused: if its draft is still there, the mail did not leave, and the
 * refusal is final. The next attempt asks about any other mail that may have left.
 */
async function endOfFault(
  parts: HostedParts,
  { account, delivery, through }: Sending,
  { fault, handedOverAt }: { fault: ProviderFault; handedOverAt: string | null },
): Promise<HostedEnd> {
  const isRefusal = fault.kind === 'refused' || fault.kind === 'forbidden';
  if (!fault.mayHaveHappened || !isRefusal || handedOverAt === null || through.draftId === null)
    return endOf(fault, through.mailbox);
  const found = await ask(parts, account, delivery, { ...through, handedOverAt });
  if (!('status' in found)) return endOf(fault, through.mailbox, false);
  return found.status === 'sent' ? found : endOf(fault, through.mailbox);
}

function endOf(fault: ProviderFault, { address }: Mailbox, mayHaveLeft = fault.mayHaveHappened): HostedEnd {
  const { kind, code, message, retryAfterMs } = fault;
  if (mayHaveLeft) return { status: 'unsure', code, error: `${unsure} ${message}`, fault, retryAfterMs };
  if (kind === 'unauthorized') return { status: 'later', code, error: `${reconnect(address)} ${message}`, fault };
  if (kind === 'refused') return { status: 'failed', code, error: message };
  return { status: 'later', code, error: message, fault, retryAfterMs };
}
