import { gatherContacts } from '../contacts/gather.ts';
import type { Contact } from '../contacts/upsert.ts';
import type { NewAttachment } from '../files/attach.ts';
import type { MessageId } from '../lib/ids.ts';
import { bounceReason } from '../mail/bounce-reason.ts';
import type { Blobs } from '../platform/blobs.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { findSentMessage } from '../tickets/mail-ids.ts';
import { findTicketsOfMailIds, type MailTicket } from '../tickets/mail-tickets.ts';
import { type Received, type ReceivedMail, receiveCopy, receiveMail, settleTicket } from '../tickets/receive.ts';
import { markBounced } from '../tickets/settle-delivery.ts';
import { faultName, isOfThisMail } from './mail-faults.ts';
import { idsOf, matchMail, writerOf } from './match.ts';
import { type OwnAddresses, readOwnAddresses } from './own-addresses.ts';
import { unreadableMessage } from './quarantine.ts';
import {
  findTakenMails,
  lockPendingMails,
  type MailSource,
  type RawMail,
  type Stores,
  settleRawMails,
  type Verdict,
} from './raw-mails.ts';
import { receivedMail } from './received-mail.ts';
import type { UnderstoodMail, UnreadableMail } from './understand.ts';

/** A mail whose bytes and files are durable, ready to be taken into the workspace. */
export type PreparedMail = (UnderstoodMail | UnreadableMail) & { attachments: NewAttachment[] };

/** What became of a mail, and how many live tickets there are more. `known` were here before, as the same bytes or as the same mail. */
export type Outcome = { kind: 'new' | 'known' | 'quarantined'; ticketsMade: number };

export const knownOutcome: Outcome = { kind: 'known', ticketsMade: 0 };

/**
 * Takes prepared mails into the workspace, in one transaction. Mails of a workspace are taken one transaction after the
 * other: so two mails of a conversation never make two tickets, and the same mail from two sides is taken once.
 */
export async function takeMails(
  { db, blobs, config }: Stores,
  source: MailSource,
  prepared: readonly PreparedMail[],
): Promise<Outcome[]> {
  if (prepared.length === 0) return [];
  const own = await readOwnAddresses(db, source.workspaceId, config.mailFrom);
  const take = (pace: Batch['pace']) => db.tx((tx) => takeInTurn(tx, source, prepared, { blobs, own, pace }));
  try {
    return await take('at-once');
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    return take('one-by-one');
  }
}

async function takeInTurn(
  tx: Tx,
  source: MailSource,
  prepared: readonly PreparedMail[],
  { blobs, own, pace }: Pick<Batch, 'blobs' | 'own' | 'pace'>,
): Promise<Outcome[]> {
  const { workspaceId } = source;
  const ids = prepared.map(({ raw }) => raw.id);
  const fingerprints = prepared.map(({ fingerprint }) => fingerprint);
  // Each statement sees what was committed before it began, so the two reads see all that the lock waited for.
  const [, pending, taken] = await together([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`ingest ${workspaceId}`}, 0))`),
    lockPendingMails(tx, workspaceId, ids),
    findTakenMails(tx, workspaceId, fingerprints),
  ]);
  const people = prepared
    .flatMap((mail) => ('reason' in mail || !pending.has(mail.raw.id) ? [] : mail.people))
    .filter(({ email }) => !own.isOwn(email));
  const isImport = source.origin === 'import';
  const contacts = await gatherContacts(
    tx,
    workspaceId,
    isImport ? people : people.map((person) => ({ ...person, claim: null })),
  );
  const batch: Batch = { tx, blobs, source, own, contacts, taken, pace, writes: [] };
  const outcomes: Outcome[] = [];
  const verdicts: Verdict[] = [];
  // Tickets that are to be brought up to date with their messages.
  const touched = new Set<string>();
  for (const mail of prepared) {
    if (!pending.has(mail.raw.id)) {
      outcomes.push(knownOutcome);
      continue;
    }
    const { outcome, verdict, ticketId } = await takeOne(batch, mail);
    outcomes.push(outcome);
    verdicts.push({ ...verdict, rawMailId: mail.raw.id, fingerprint: mail.fingerprint });
    if (verdict.state !== 'duplicate') taken.set(mail.fingerprint, verdict.messageId);
    if (ticketId !== null) touched.add(ticketId);
  }
  await together([
    ...batch.writes,
    settleRawMails(tx, workspaceId, verdicts),
    ...[...touched].map((ticketId) => settleTicket(tx, workspaceId, ticketId)),
  ]);
  return outcomes;
}

/** What the mails of a transaction share. */
type Batch = {
  tx: Tx;
  blobs: Blobs;
  source: MailSource;
  own: OwnAddresses;
  contacts: ReadonlyMap<string, Contact>;
  /** Message by fingerprint of the mails that are here. */
  taken: ReadonlyMap<string, string | null>;
  /**
   * At once: a mail's look-ups are sent behind the writes of the mail before, unawaited; a fault undoes them all. Then they
   * are taken one by one, each so that it can be undone alone. The first saves three of five round trips a mail.
   */
  pace: 'at-once' | 'one-by-one';
  /** Sent and not yet known to be done, in the order in which they were sent. */
  writes: Promise<unknown>[];
};

type Taken = { outcome: Outcome; verdict: Omit<Verdict, 'rawMailId' | 'fingerprint'>; ticketId: string | null };

/** A mail that cannot be kept as it was understood is kept as it came: none blocks the others. */
async function takeOne(batch: Batch, mail: PreparedMail): Promise<Taken> {
  if (batch.pace === 'at-once') return sendOne(batch, mail);
  const alone = async (work: () => Promise<Taken>) => batch.tx.savepoint(() => awaitWrites(batch, work));
  if ('reason' in mail) return alone(async () => quarantine(batch, mail, mail.reason));
  try {
    return await alone(() => keep(batch, mail));
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    await batch.blobs.put(batch.source.workspaceId, mail.raw.bytes);
    return alone(async () => quarantine(batch, mail, `it could not be stored (${faultName(error)})`));
  }
}

async function sendOne(batch: Batch, mail: PreparedMail): Promise<Taken> {
  try {
    return await ('reason' in mail ? quarantine(batch, mail, mail.reason) : keep(batch, mail));
  } catch (error) {
    // A look-up behind a write that failed only reports that the transaction is aborted.
    await together(batch.writes);
    throw error;
  }
}

async function awaitWrites(batch: Batch, work: () => Promise<Taken>): Promise<Taken> {
  try {
    return await work();
  } finally {
    await together(batch.writes.splice(0));
  }
}

/** Notes a message's writes as under way. */
function send(batch: Batch, mail: ReceivedMail, ticket: MailTicket | null): Received {
  const received = receiveMail(batch.tx, mail, ticket);
  // Its fault is met where the writes are awaited; until then it is not unhandled.
  received.written.catch(() => {});
  batch.writes.push(received.written);
  return received;
}

async function keep(batch: Batch, mail: UnderstoodMail & PreparedMail): Promise<Taken> {
  const { tx, source, own, contacts, taken } = batch;
  if (taken.has(mail.fingerprint)) return keepCopy(batch, mail);
  const sentId = await findOwnCopy(batch, mail);
  if (sentId !== undefined) return { outcome: knownOutcome, verdict: copyOf(sentId), ticketId: null };
  const writer = writerOf(mail, contacts);
  const match = await matchMail(tx, source, mail, { senderId: writer?.id ?? null, own });
  const received = send(batch, receivedMail(batch, mail, match.threading), match.ticket);
  if (match.answeredId !== undefined) await noteBounce(batch, mail, match.answeredId);
  const note = match.threading.hasIdOfAnother
    ? 'Another mail with the same Message-ID and other content is here.'
    : null;
  const ticketsMade = (received.isNewTicket ? 1 : 0) - (match.threading.joinedTickets ?? 0);
  return {
    outcome: { kind: 'new', ticketsMade },
    verdict: { state: 'ingested', messageId: received.messageId, note },
    ticketId: received.ticketId,
  };
}

/** Our own mail that came back by a forward, a list or a Cc to ourselves: the message that it is. */
async function findOwnCopy(
  { tx, source, own }: Batch,
  { from, parsed }: UnderstoodMail,
): Promise<MessageId | undefined> {
  if (from === null || !own.isOwn(from.email) || parsed.messageId === null) return undefined;
  return findSentMessage(tx, source.workspaceId, parsed.messageId);
}

/** What is imported bounced long ago. */
async function noteBounce({ tx, source }: Batch, { report }: UnderstoodMail, messageId: MessageId): Promise<void> {
  if (source.origin !== 'live' || report?.kind !== 'bounce') return;
  await markBounced(tx, { workspaceId: source.workspaceId, messageId, error: bounceReason(report) });
}

/** The same mail in other bytes. What it names beside the first copy still tells which tickets are one. */
async function keepCopy({ tx, source, own, taken }: Batch, mail: UnderstoodMail): Promise<Taken> {
  const { workspaceId, origin } = source;
  const verdict = copyOf(taken.get(mail.fingerprint) ?? null);
  if (origin === 'live' || mail.parsed.messageId === null) return { outcome: knownOutcome, verdict, ticketId: null };
  const { threading } = await matchMail(tx, source, mail, { senderId: null, own });
  const [ticket] = await findTicketsOfMailIds(tx, workspaceId, { ids: [mail.parsed.messageId], senderId: null });
  if (ticket === undefined) return { outcome: knownOutcome, verdict, ticketId: null };
  await receiveCopy(tx, { ...mail, workspaceId, origin, namedIds: idsOf(mail), threading }, ticket);
  return { outcome: { kind: 'known', ticketsMade: -(threading.joinedTickets ?? 0) }, verdict, ticketId: ticket.id };
}

function copyOf(messageId: MessageId | null): Taken['verdict'] {
  return { state: 'duplicate', messageId, note: null };
}

function quarantine(batch: Batch, { raw, fingerprint }: PreparedMail, reason: string): Taken {
  const message = { ...unreadableMessage(batch.source, raw, { fingerprint, reason }), attachments: [wholeMail(raw)] };
  const { messageId, ticketId } = send(batch, message, null);
  const note = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return {
    outcome: { kind: 'quarantined', ticketsMade: 1 },
    verdict: { state: 'quarantined', messageId, note },
    ticketId,
  };
}

/** A mail as a file on the message that stands for it. */
export function wholeMail({ sha256, bytes }: RawMail): NewAttachment {
  const fileName = 'original-mail.eml';
  return { fileName, contentType: 'message/rfc822', sizeBytes: bytes.length, sha256, contentId: null, isInline: false };
}
