import type { Blobs } from '../../../ground/blobs/blobs.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { JobAttempt } from '../../../ground/queue/queue.ts';
import type { Config } from '../../../ground/settings/config.ts';
import type { SurveyLinks } from '../../../helpdesk/ratings/survey-links.ts';
import { findSender } from '../../../mail/mailboxes/addresses.ts';
import { type AccountParts, openAccount } from '../../../mail/mailboxes/open-account.ts';
import type { Mailbox } from '../../../mail/mailboxes/queries.ts';
import type { HostedMail, ProviderAccount, SentCopy } from '../../../mail/provider.ts';
import { ProviderFault } from '../../../mail/provider-fault.ts';
import { traitsOf } from '../../../mail/providers/registry.ts';
import { refusal, type SendOutcome, type SendRefusal, type SentOutcome } from '../../../mail/transport.ts';
import type { Delivery } from '../../deliveries/claim-delivery.ts';
import type { MailboxSend } from '../../deliveries/mailbox-send.ts';
import { changeOwn, noteDraft } from '../../deliveries/write.ts';
import { findTaken } from '../find-taken.ts';
import { composeHosted } from './compose-answer.ts';
import { readThreadSubject } from './thread-subject.ts';

type HostedParts = AccountParts & {
  blobs: Blobs;
  config: Pick<Config, 'mailFrom' | 'smtpListen'>;
  surveyLinks: SurveyLinks;
  log: Pick<Logger, 'warn'>;
};

/**
 * Sends a claimed answer through its mailbox. Once the mail may have left, each attempt first asks the mailbox for it.
 * It is sent again only after it was missing for so long that it cannot have left. So the recipients get it once.
 */
export async function sendThroughMailbox(
  parts: HostedParts,
  delivery: Delivery,
  through: MailboxSend,
  job: JobAttempt,
): Promise<SendOutcome> {
  const { mailbox, handedOverAt } = through;
  const waiting = waitsFor(mailbox);
  if (waiting !== undefined) return handedOverAt === null ? waiting : unsure(waiting.code, waiting.reason);
  if (mailbox.status === 'disconnected') {
    const reason = `The mailbox ${mailbox.address} was disconnected while it sent the mail, so the mail may have left.`;
    return refusal('disconnected', reason, { permanent: true, mayHaveLeft: true });
  }
  const account = openAccount(parts, mailbox);
  if (handedOverAt === null) return sendOnce(parts, { account, delivery, through });
  // The queue's last run only asks about the attempt before.
  const isLast = job.attempt >= job.attemptsMax;
  if (!isLast && isReadFirst(mailbox, handedOverAt, parts.clock.now())) return unsure('unread');
  const found = await ask(parts, account, delivery, { ...through, handedOverAt });
  if ('ok' in found) return found.ok || !isLast ? found : { ...found, reason: neverKnown(mailbox) };
  if (isLast) {
    return refusal('attempts', 'The mail could not be sent at any attempt.', { permanent: true });
  }
  const { draftId } = found;
  await parts.db.tx((tx) => changeOwn(tx, delivery, 'start-over', { draftId }));
  const anew = { ...through, draftId, handedOverAt: null, unsureSince: null, isRetry: false };
  return sendOnce(parts, { account, delivery, through: anew });
}

/** Pauses that end only when somebody acts, so that asking the mailbox is useless. */
function waitsFor({ status, address }: Mailbox): SendRefusal | undefined {
  if (status === 'paused') return refusal('paused', `The mailbox ${address} is paused.`);
  return status === 'reauthorization_required' ? refusal('unauthorized', reconnect(address)) : undefined;
}

/** Longer than a mailbox is usually behind. */
const behindMsMax = 3_600_000;

/**
 * Whether reading the mailbox should find the copy. A look through all sent mails that are not read yet takes the quota
 * that reading needs, and so falls further and further behind.
 */
function isReadFirst({ provider, status, lastSyncedAt }: Mailbox, handedOverAt: string, now: Date): boolean {
  if (!traitsOf(provider).looksThroughSent || status !== 'active') return false;
  const handedOver = Date.parse(handedOverAt);
  const isRead = lastSyncedAt !== null && Date.parse(lastSyncedAt) >= handedOver;
  return !isRead && now.getTime() - handedOver < behindMsMax;
}

function reconnect(address: string): string {
  return `The mailbox ${address} must be connected again.`;
}

/** The mail may have left, and the mailbox can be asked. */
function unsure(code: string, why?: string, fault?: ProviderFault): SendRefusal {
  const reason = 'It is not known yet whether the mail left: its mailbox is being asked.';
  return refusal(code, why === undefined ? reason : `${reason} ${why}`, {
    mayHaveLeft: true,
    ...(fault !== undefined && { fault }),
  });
}

/** The mailbox could not be asked until the queue's last run. */
function neverKnown({ address }: Mailbox): string {
  return `Whether the mail left is not known: look for it among the sent mail of ${address} before you send it again.`;
}

/** Our clock and the provider's may differ. */
const marginMs = 60_000;
/** A sent mail shows in the sent folder within seconds. */
const patienceMs = 2 * 60_000;
/** A missing draft was most likely sent and shows late, or somebody deleted it. */
const draftPatienceMs = 30 * 60_000;

/** @returns the end of the attempt; if the mail did not leave, its remaining draft */
async function ask(
  { db, clock }: HostedParts,
  account: ProviderAccount,
  { workspaceId, rfcMessageId }: Delivery,
  { mailbox, thread, draftId, handedOverAt, unsureSince, isRetry }: MailboxSend & { handedOverAt: string },
): Promise<SendOutcome | { draftId: string | null }> {
  const since = new Date(Date.parse(handedOverAt) - marginMs);
  let found: SentCopy | 'draft' | 'unknowable' | undefined;
  try {
    found = await account.findSent({
      rfcMessageId,
      draftId,
      threadId: thread?.id ?? null,
      since,
      findTaken: (providerIds) => findTaken(db, { workspaceId, mailboxId: mailbox.id }, providerIds),
    });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return unsure(error.code, error.message, error);
  }
  if (found === 'draft') return { draftId };
  if (found !== undefined && found !== 'unknowable') return { ok: true, copy: found };
  const patience = draftId === null ? patienceMs : draftPatienceMs;
  const isSettled = unsureSince !== null && clock.now().getTime() - Date.parse(unsureSince) >= patience;
  if (!isSettled) return unsure('unsure');
  // Nobody else can tell: to send again could reach the recipients twice. An agent who retries has looked for the mail.
  if (found === 'unknowable' && !isRetry)
    return refusal('unknown', neverKnown(mailbox), { permanent: true, mayHaveLeft: true });
  return { draftId: null };
}

type Sending = { account: ProviderAccount; delivery: Delivery; through: MailboxSend };

async function sendOnce(parts: HostedParts, sending: Sending): Promise<SendOutcome> {
  const { db, log } = parts;
  const { account, delivery, through } = sending;
  let { draftId } = through;
  let handedOverAt: string | null = null;
  const handOver = async () => {
    await db.tx((tx) => changeOwn(tx, delivery, 'hand-to-mailbox'));
    handedOverAt = parts.clock.now().toISOString();
  };
  try {
    const mail = await compose(parts, delivery, through);
    if ('ok' in mail) return mail;
    const more: Pick<SentOutcome, 'unfiled' | 'refused'> = {};
    const copy = await account.send(mail, {
      draftId: through.draftId,
      onDraft: async (id) => {
        await db.tx((tx) => noteDraft(tx, delivery, id));
        draftId = id;
      },
      beforeSend: handOver,
      onUnfiled: (unfiled) => {
        more.unfiled = unfiled;
      },
      onRefused: (refused) => {
        more.refused = refused;
      },
    });
    return { ok: true, copy, ...more };
  } catch (error) {
    if (error instanceof ProviderFault) {
      // The draft is gone. An earlier attempt may have sent it, so the next attempt must ask first.
      if (error.mayHaveHappened && handedOverAt === null) await handOver();
      const asked = { ...sending, through: { ...through, draftId } };
      return endOfFault(parts, asked, { fault: error, handedOverAt });
    }
    const { workspaceId, messageId } = delivery;
    log.warn({ err: error, workspaceId, messageId }, 'an answer could not be handed over to its mailbox');
    if (handedOverAt !== null) return unsure('EHANDOVER');
    return refusal('EHANDOVER', 'The mail or one of its files could not be read.');
  }
}

async function compose(
  { blobs, config, clock, surveyLinks }: HostedParts,
  delivery: Delivery,
  through: MailboxSend,
): Promise<HostedMail | SendRefusal> {
  const { mailbox } = through;
  const { fromAddress } = delivery;
  // The ticket may have moved to another mailbox, or the mailbox may have lost the address.
  if (fromAddress !== null && findSender(mailbox, fromAddress) === undefined)
    return refusal('EFROM', `The mailbox ${mailbox.address} cannot send from ${fromAddress}.`, {
      permanent: true,
    });
  const newest = through.thread?.newestSha256 ?? null;
  const threadSubject = newest === null ? undefined : await readThreadSubject(blobs, delivery.workspaceId, newest);
  try {
    return composeHosted({ config, blobs, surveyLinks, date: clock.now() }, delivery, through, threadSubject);
  } catch (error) {
    const reason = `The mail could not be composed: ${(error as Error).message}.`;
    return refusal('ECOMPOSE', reason, { permanent: true });
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
): Promise<SendOutcome> {
  const isRefusal = fault.kind === 'refused' || fault.kind === 'forbidden';
  if (!fault.mayHaveHappened || !isRefusal || handedOverAt === null || through.draftId === null)
    return refusalOf(fault, through.mailbox);
  const found = await ask(parts, account, delivery, { ...through, handedOverAt });
  if (!('ok' in found)) return refusalOf(fault, through.mailbox, false);
  return found.ok ? found : refusalOf(fault, through.mailbox);
}

function refusalOf(fault: ProviderFault, { address }: Mailbox, mayHaveLeft = fault.mayHaveHappened): SendRefusal {
  const { kind, code, message } = fault;
  if (mayHaveLeft) return unsure(code, message, fault);
  if (kind === 'unauthorized') return refusal(code, `${reconnect(address)} ${message}`, { fault });
  return refusal(code, message, { permanent: kind === 'refused', fault });
}
