import type { Blobs } from '../../../ground/blobs/blobs.ts';
import type { SpamReason } from '../../../ground/catalog/spam.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { Contact } from '../../../helpdesk/contacts/upsert.ts';
import { findMessageOfMail } from '../../../helpdesk/messages/mail-ids.ts';
import { takeTicketNumber } from '../../../helpdesk/tickets/rows.ts';
import { noteSentCopy } from '../../deliveries/note-sent-copy.ts';
import { faultName, isOfThisMail } from '../mail-faults.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import { unreadableMessage, wholeMail } from '../quarantine.ts';
import type { MailSource, RawMail, Verdict } from '../raw-mails.ts';
import type { PreparedMail, UnderstoodMail } from '../understand.ts';
import type { WhyBlocked } from './blocked-writers.ts';
import { asForwarded, type Forwards } from './forwards.ts';
import { findTicketsOfMailIds } from './mail-tickets.ts';
import { markOutbound } from './mark-outbound.ts';
import { idsOf, type Match, matchMail, writerOf } from './match.ts';
import { noteBounce } from './note-bounce.ts';
import { type Received, type ReceivedMail, receiveCopy, receiveMail, type TicketDefaults } from './receive.ts';
import { firstMet, receivedMail } from './received-mail.ts';
import { findOwnCopy, findSendingMember, isSentByHand } from './sent-mail.ts';
import { defaultsInTeam } from './ticket-defaults.ts';

/**
 * What became of a mail, and by how much the number of live tickets changed. `known`: already here, as the same bytes
 * or as the same mail.
 */
export type Outcome = { kind: 'new' | 'known' | 'quarantined'; ticketsMade: number };

export const knownOutcome: Outcome = { kind: 'known', ticketsMade: 0 };

/** Shared by the mails of one transaction. */
export type MailBatch = {
  tx: Tx;
  workspaceId: WorkspaceId;
  blobs: Blobs;
  own: OwnAddresses;
  choices: MailSource['choices'];
  contacts: ReadonlyMap<string, Contact>;
  /** The messages of ingested mails, by fingerprint. */
  taken: ReadonlyMap<string, MessageId | null>;
  /** Defaults for new tickets, by mailbox. */
  defaults: ReadonlyMap<string, TicketDefaults>;
  /** By `threadKey`, the newest message in each of the providers' threads, including this transaction's. */
  threads: ReadonlyMap<string, MessageId>;
  whyBlocked: WhyBlocked;
  forwards: Forwards;
  /**
   * `at-once` pipelines: a mail's look-ups follow the unawaited writes of the previous mail, and a fault rolls back
   * all. This saves three of five round trips per mail. After a fault, `one-by-one` gives each mail its own savepoint.
   */
  pace: 'at-once' | 'one-by-one';
  /** Writes in flight, in the order in which they were sent. */
  writes: Promise<unknown>[];
};

type Taken = {
  outcome: Outcome;
  verdict: Omit<Verdict, 'rawMailId' | 'fingerprint'>;
  ticketId: TicketId | null;
  /** The message by which a customer has written into a ticket that was there: no scheduled answer need leave. */
  repliedBy?: MessageId | undefined;
};

export const erasedMail: Taken = {
  outcome: knownOutcome,
  verdict: { state: 'ingested', messageId: null, note: null },
  ticketId: null,
};

/** A mail that cannot be stored as parsed is stored in its original form, so that no mail blocks the mails after it. */
export async function takeMail(batch: MailBatch, mail: PreparedMail): Promise<Taken> {
  if (batch.pace === 'at-once') return sendOne(batch, mail);
  const alone = async (work: () => Promise<Taken>) => batch.tx.savepoint(() => awaitWrites(batch, work));
  if ('reason' in mail) return alone(async () => quarantine(batch, mail, mail.reason));
  try {
    return await alone(() => takeOne(batch, mail));
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    await batch.blobs.put(batch.workspaceId, mail.raw.bytes);
    return alone(async () => quarantine(batch, mail, `it could not be stored (${faultName(error)})`));
  }
}

async function sendOne(batch: MailBatch, mail: PreparedMail): Promise<Taken> {
  try {
    return await ('reason' in mail ? quarantine(batch, mail, mail.reason) : takeOne(batch, mail));
  } catch (error) {
    // After a failed write, a look-up only reports that the transaction is aborted.
    await together(batch.writes);
    throw error;
  }
}

async function awaitWrites(batch: MailBatch, work: () => Promise<Taken>): Promise<Taken> {
  try {
    return await work();
  } finally {
    await together(batch.writes.splice(0));
  }
}

/** Sends a message's writes and tracks them in the batch. */
async function writeTogether(
  batch: MailBatch,
  mail: ReceivedMail,
  { ticket, continues, named }: Pick<Match, 'ticket' | 'continues' | 'named'>,
  spamReason: SpamReason | null = null,
): Promise<Received> {
  const { tx, workspaceId } = batch;
  const to = ticket ?? { newTicketNumber: await takeTicketNumber(tx, workspaceId), continues, spamReason };
  const shownAs = continues ?? named;
  const placed =
    ticket === null && shownAs !== undefined
      ? { ...mail, defaults: await defaultsInTeam(tx, workspaceId, mail.defaults, shownAs) }
      : mail;
  const received = receiveMail(tx, placed, to);
  // The fault surfaces where the batch awaits its writes. Until then this marks the promise as handled.
  received.written.catch(() => {});
  batch.writes.push(received.written);
  return received;
}

async function takeOne(batch: MailBatch, mail: UnderstoodMail & PreparedMail): Promise<Taken> {
  const { tx, workspaceId, own, contacts } = batch;
  const sentId = await findOwnCopy(tx, workspaceId, mail, own);
  if (sentId !== undefined) return keepOwnCopy(batch, mail, sentId);
  const copiedId = await findCopied(batch, mail);
  if (copiedId !== undefined) return keepCopy(batch, mail, copiedId);
  const isSent = isSentByHand(mail, own);
  // Nothing else shows that the person whom a stranger's Reply-To names wrote the mail.
  const isStranger = isSent || mail.relay?.isProven === false;
  const senderId = isStranger ? null : (writerOf(mail, contacts)?.id ?? null);
  const spamReason = batch.whyBlocked(mail);
  const match = await matchMail(tx, { ...batch, senderId, isBlocked: spamReason !== null }, mail);
  const sender = isSent ? await findSendingMember(tx, workspaceId, mail) : null;
  const forwarder = match.ticket === null && spamReason === null ? batch.forwards.get(mail.raw.id) : undefined;
  const written = forwarder === undefined ? mail : asForwarded(mail, forwarder);
  const received = await writeTogether(
    batch,
    receivedMail(batch, written, {
      threading: {
        ...match.threading,
        isSenderKnown: isWriterKnown(match, { isSent, isForwarded: forwarder !== undefined }),
      },
      sender,
      defaults: defaultsFor(batch, mail.raw),
    }),
    match,
    spamReason,
  );
  if (match.answeredId !== undefined) await noteBounce(tx, mail, { workspaceId, messageId: match.answeredId, own });
  const note = match.threading.hasIdOfAnother
    ? 'Another mail with the same Message-ID and other content is here.'
    : null;
  const ticketsMade = (received.isNewTicket ? 1 : 0) - (match.threading.joinedTickets ?? 0);
  return {
    outcome: { kind: 'new', ticketsMade },
    verdict: { state: 'ingested', messageId: received.messageId, note },
    ticketId: received.ticketId,
    repliedBy: received.isCustomersReply ? received.messageId : undefined,
  };
}

/** Mail in a sent folder was written by our own people. That of a forward names a person whom nothing proves. */
function isWriterKnown(
  { ticket, threading }: Match,
  { isSent, isForwarded }: { isSent: boolean; isForwarded: boolean },
): boolean | null {
  if (isForwarded) return false;
  return isSent && ticket !== null ? true : threading.isSenderKnown;
}

/**
 * A copy of our own mail adds no message. A copy in a sent folder proves that the mail left, and shows the Message-ID
 * that recipients know.
 */
async function keepOwnCopy(
  { tx, workspaceId }: MailBatch,
  { raw: { hosted }, parsed }: UnderstoodMail,
  messageId: MessageId,
): Promise<Taken> {
  if (hosted?.folder === 'sent') {
    const { mailboxId, providerId, threadId } = hosted;
    const copy = { providerId, threadId, wireMessageId: parsed.messageId };
    await noteSentCopy(tx, { workspaceId, messageId, mailboxId, copy });
  }
  return { outcome: knownOutcome, verdict: copyOf(messageId), ticketId: null };
}

/** The message of an earlier copy of this mail; null when the copy has no message; undefined when there is no copy. */
async function findCopied(
  { tx, workspaceId, taken }: MailBatch,
  { fingerprint, rebuiltFingerprint, from, forwarded, parsed: { messageId } }: UnderstoodMail,
): Promise<MessageId | null | undefined> {
  for (const known of [fingerprint, rebuiltFingerprint])
    if (known !== null && taken.has(known)) return taken.get(known) ?? null;
  if (fingerprint !== rebuiltFingerprint || from === null || messageId === null) return undefined;
  // The author of a forwarded mail is the person who wrote the mail in it.
  const authorEmails = [from.email, ...(forwarded === null ? [] : [forwarded.from.email])];
  return findMessageOfMail(tx, workspaceId, { rfcMessageId: messageId, authorEmails });
}

/** The same mail in different bytes. An import's copy may name further ids, which can still join tickets. */
async function keepCopy(batch: MailBatch, mail: UnderstoodMail, messageId: MessageId | null): Promise<Taken> {
  const { tx, workspaceId } = batch;
  const { origin } = mail.raw;
  const verdict = copyOf(messageId);
  if (messageId !== null && isSentByHand(mail, batch.own)) {
    const sender = await findSendingMember(tx, workspaceId, mail);
    const senderUserId = sender?.userId ?? null;
    const requesterId = firstMet(mail, batch)?.id ?? null;
    const ticketId = await markOutbound(tx, { workspaceId, messageId }, { senderUserId, requesterId });
    return { outcome: knownOutcome, verdict, ticketId };
  }
  if (origin === 'live' || mail.parsed.messageId === null) return { outcome: knownOutcome, verdict, ticketId: null };
  const { threading } = await matchMail(tx, { ...batch, senderId: null, isBlocked: false }, mail);
  const [ticket] = await findTicketsOfMailIds(tx, workspaceId, { ids: [mail.parsed.messageId], senderId: null });
  if (ticket === undefined) return { outcome: knownOutcome, verdict, ticketId: null };
  await receiveCopy(tx, { ...mail, workspaceId, origin, namedIds: idsOf(mail), threading }, ticket);
  return { outcome: { kind: 'known', ticketsMade: -(threading.joinedTickets ?? 0) }, verdict, ticketId: ticket.id };
}

function copyOf(messageId: MessageId | null): Taken['verdict'] {
  return { state: 'duplicate', messageId, note: null };
}

async function quarantine(batch: MailBatch, { raw, fingerprint }: PreparedMail, reason: string): Promise<Taken> {
  const defaults = defaultsFor(batch, raw);
  const message = {
    ...unreadableMessage(batch, raw, { fingerprint, reason, defaults }),
    attachments: [wholeMail(raw)],
  };
  const { messageId, ticketId } = await writeTogether(batch, message, { ticket: null });
  const note = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return {
    outcome: { kind: 'quarantined', ticketsMade: 1 },
    verdict: { state: 'quarantined', messageId, note },
    ticketId,
  };
}

/**
 * Imported mail has no defaults of a mailbox but its team, and a status that the import chose. Tickets of old mail are
 * closed.
 */
function defaultsFor({ defaults, choices }: MailBatch, { origin, isOld, mailboxId }: RawMail): TicketDefaults {
  const ofMailbox = mailboxId === null ? undefined : defaults.get(mailboxId);
  if (origin === 'live' && ofMailbox !== undefined) return ofMailbox;
  const status = isOld === true ? 'closed' : choices?.status;
  const state = origin === 'import' && status !== undefined ? ticketStates[status] : {};
  return { assigneeId: null, teamId: ofMailbox?.teamId ?? null, tags: [], ...state };
}

const ticketStates = {
  open: { status: 'open', isArchived: false },
  closed: { status: 'closed', isArchived: false },
  archived: { status: 'closed', isArchived: true },
} as const;
