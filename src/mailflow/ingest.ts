import { gatherContacts } from '../contacts/gather.ts';
import type { Contact } from '../contacts/upsert.ts';
import type { NewAttachment } from '../files/attach.ts';
import { caseKey } from '../lib/text.ts';
import { type Blobs, sha256Of } from '../platform/blobs.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { findTicketsOfMailIds } from '../tickets/mail-ids.ts';
import { type Received, receiveCopy, receiveMail } from '../tickets/receive.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { faultName, isCollision, isOfThisMail } from './mail-faults.ts';
import { idsOf, type Match, matchMail, writerOf } from './match.ts';
import { unreadableMessage } from './quarantine.ts';
import {
  findTakenMails,
  lockPendingMails,
  type MailSource,
  type RawMail,
  type Stores,
  settleRawMail,
  storeRawMails,
} from './raw-mails.ts';
import { type UnderstoodMail, type UnreadableMail, understandMail } from './understand.ts';

/** A mail whose bytes and files are durable, ready to be taken into the workspace. */
export type PreparedMail = (UnderstoodMail | UnreadableMail) & { attachments: NewAttachment[] };

/** What became of a mail. `known` were here before, as the same bytes or as the same mail. */
export type Outcome = { kind: 'new' | 'quarantined'; ticketsMade: number } | { kind: 'known'; ticketsMade: number };

/**
 * Takes mails in: their bytes durable first, then understood, each taken once a workspace. A crash at any instant loses
 * none; what was pending is ingested when it comes again, or by `readPendingMails`.
 * @returns what became of each, in the order given
 */
export async function ingestMails(stores: Stores, source: MailSource, contents: readonly Buffer[]): Promise<Outcome[]> {
  const { prepared, isKnown } = await prepareMails(stores, source, contents);
  const outcomes = (await takeMails(stores, source, prepared)).values();
  return isKnown.map((known) => (known ? knownOutcome : (outcomes.next().value ?? knownOutcome)));
}

const knownOutcome: Outcome = { kind: 'known', ticketsMade: 0 };

/** The first half: everything that needs no transaction of the mails' own. */
export async function prepareMails(
  stores: Stores,
  source: MailSource,
  contents: readonly Buffer[],
): Promise<{ prepared: PreparedMail[]; isKnown: boolean[] }> {
  const raws = await storeRawMails(stores, source, contents);
  const pending = raws.filter((raw) => raw !== null);
  return {
    prepared: await prepareRawMails(stores.blobs, source, pending),
    isKnown: raws.map((raw) => raw === null),
  };
}

/** Reads mails that are stored, and stores what hangs on them. */
export async function prepareRawMails(
  blobs: Blobs,
  { workspaceId }: Pick<MailSource, 'workspaceId'>,
  raws: readonly RawMail[],
): Promise<PreparedMail[]> {
  const mails: (UnderstoodMail | UnreadableMail)[] = [];
  for (const raw of raws) mails.push(await understandMail(raw));
  const contents = mails.flatMap((mail) => ('reason' in mail ? [mail.raw.bytes] : mail.files.map((f) => f.content)));
  await blobs.putAll(workspaceId, contents);
  return mails.map((mail) => ({ ...mail, attachments: attachmentsOf(mail) }));
}

function attachmentsOf(mail: UnderstoodMail | UnreadableMail): NewAttachment[] {
  if ('reason' in mail) return [wholeMail(mail.raw)];
  return mail.files.map(({ content, ...file }) => ({ ...file, sha256: sha256Of(content) }));
}

function wholeMail({ sha256, bytes }: RawMail): NewAttachment {
  const fileName = 'original-mail.eml';
  return { fileName, contentType: 'message/rfc822', sizeBytes: bytes.length, sha256, contentId: null, isInline: false };
}

const attemptsMax = 5;

/**
 * The second half, in one transaction. Mails of a workspace are taken one transaction after the other: so two mails of a
 * conversation never make two tickets, and the same mail from two sides is taken once.
 */
export async function takeMails(
  { db, blobs }: Stores,
  source: MailSource,
  prepared: readonly PreparedMail[],
): Promise<Outcome[]> {
  if (prepared.length === 0) return [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.tx((tx) => takeInTurn(tx, blobs, source, prepared));
    } catch (error) {
      // Agents lock tickets in another order than a batch of mails does: of the two one is told to try again.
      if (attempt === attemptsMax || !isCollision(error)) throw error;
    }
  }
}

async function takeInTurn(
  tx: Tx,
  blobs: Blobs,
  source: MailSource,
  prepared: readonly PreparedMail[],
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
  const people = prepared.flatMap((mail) => ('reason' in mail || !pending.has(mail.raw.id) ? [] : mail.people));
  const isImport = source.origin === 'import';
  const contacts = await gatherContacts(
    tx,
    workspaceId,
    isImport ? people : people.map((person) => ({ ...person, claim: null })),
  );
  const batch: Batch = { tx, blobs, source, contacts, taken, touched: new Set() };
  const outcomes: Outcome[] = [];
  for (const mail of prepared) outcomes.push(pending.has(mail.raw.id) ? await takeOne(batch, mail) : knownOutcome);
  await together([...batch.touched].map((ticketId) => refreshTicketSearch(tx, workspaceId, ticketId)));
  return outcomes;
}

/** What the mails of a transaction share. */
type Batch = {
  tx: Tx;
  blobs: Blobs;
  source: MailSource;
  contacts: ReadonlyMap<string, Contact>;
  /** Message by fingerprint of the mails that are here. */
  taken: Map<string, string | null>;
  /** Tickets whose search vectors are to be written anew. */
  touched: Set<string>;
};

/** A mail that cannot be kept as it was understood is kept as it came: none blocks the others. */
async function takeOne(batch: Batch, mail: PreparedMail): Promise<Outcome> {
  if ('reason' in mail) return batch.tx.savepoint(() => quarantine(batch, mail, mail.reason));
  try {
    return await batch.tx.savepoint(() => keep(batch, mail));
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    await batch.blobs.put(batch.source.workspaceId, mail.raw.bytes);
    const reason = `it could not be stored (${faultName(error)})`;
    return batch.tx.savepoint(() => quarantine(batch, mail, reason));
  }
}

async function keep(batch: Batch, mail: UnderstoodMail & PreparedMail): Promise<Outcome> {
  const { tx, source, contacts, taken, touched } = batch;
  const { workspaceId } = source;
  if (taken.has(mail.fingerprint)) return keepCopy(batch, mail);
  const writer = writerOf(mail, contacts);
  const { ticket, threading } = await matchMail(tx, source, mail, writer?.id ?? null);
  const participants = mail.people.flatMap(({ email }) => contacts.get(caseKey(email))?.id ?? []);
  const received = await receiveMail(
    tx,
    {
      ...mail,
      workspaceId,
      origin: source.origin,
      mailboxId: source.mailboxId,
      author:
        mail.from === null || writer === undefined
          ? { type: 'system', name: null, email: null }
          : { type: 'customer', contactId: writer.id, ...mail.from },
      participantIds: [...new Set(participants)],
      rfcMessageId: mail.parsed.messageId,
      namedIds: idsOf(mail),
      isFromPerson: isFromPerson(mail, threading),
      threading,
    },
    ticket,
  );
  const { fingerprint } = mail;
  const note = threading.hasIdOfAnother ? 'Another mail with the same Message-ID and other content is here.' : null;
  await settleRawMail(tx, workspaceId, mail.raw.id, {
    state: 'ingested',
    fingerprint,
    messageId: received.messageId,
    note,
  });
  taken.set(fingerprint, received.messageId);
  touched.add(received.ticketId);
  return { kind: 'new', ticketsMade: (received.isNewTicket ? 1 : 0) - (threading.joinedTickets ?? 0) };
}

/**
 * What came over a list counts as a person's where the writer takes part in the conversation: many support addresses are
 * groups, whose software marks every customer's mail as a list's.
 */
function isFromPerson({ automaticKind }: UnderstoodMail, { isSenderKnown }: Match['threading']): boolean {
  return automaticKind === null || (automaticKind === 'list' && isSenderKnown === true);
}

/** The same mail in other bytes. What it names beside the first copy still tells which tickets are one. */
async function keepCopy({ tx, source, taken, touched }: Batch, mail: UnderstoodMail): Promise<Outcome> {
  const { workspaceId, origin } = source;
  const { fingerprint } = mail;
  const messageId = taken.get(fingerprint) ?? null;
  await settleRawMail(tx, workspaceId, mail.raw.id, { state: 'duplicate', fingerprint, messageId, note: null });
  if (origin === 'live' || mail.parsed.messageId === null) return knownOutcome;
  const { threading } = await matchMail(tx, source, mail, null);
  const [ticket] = await findTicketsOfMailIds(tx, workspaceId, { ids: [mail.parsed.messageId], senderId: null });
  if (ticket === undefined) return knownOutcome;
  await receiveCopy(tx, { ...mail, workspaceId, origin, namedIds: idsOf(mail), threading }, ticket);
  touched.add(ticket.id);
  return { kind: 'known', ticketsMade: -(threading.joinedTickets ?? 0) };
}

async function quarantine(batch: Batch, { raw, fingerprint }: PreparedMail, reason: string): Promise<Outcome> {
  const { tx, source, taken } = batch;
  const message = { ...unreadableMessage(source, raw, { fingerprint, reason }), attachments: [wholeMail(raw)] };
  const { messageId, ticketId }: Received = await receiveMail(tx, message, null);
  const note = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  await settleRawMail(tx, source.workspaceId, raw.id, { state: 'quarantined', fingerprint, messageId, note });
  taken.set(fingerprint, messageId);
  batch.touched.add(ticketId);
  return { kind: 'quarantined', ticketsMade: 1 };
}
