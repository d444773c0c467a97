import { isDatabaseAway } from '../../ground/database/faults.ts';
import { nilId } from '../../ground/lib/ids.ts';
import type { IngestLease } from './ingest-lease.ts';
import { faultName, isOfThisMail } from './mail-faults.ts';
import { prepareRawMails } from './prepare-mails.ts';
import { wholeMail } from './quarantine.ts';
import type { MailSource, RawMail } from './raw-mails.ts';
import { giveUpLostMails, type PendingMails, readPendingMails } from './read-pending.ts';
import type { Stores } from './stores.ts';
import type { Outcome } from './take/take-mail.ts';
import { type NoteTaken, takeMails } from './take/take-mails.ts';
import type { PreparedMail } from './understand.ts';

/**
 * This many mails share a transaction and its disk flushes. A larger batch gains little, and keeps other writers from
 * creating tickets for longer: this batch takes some 150 ms.
 */
export const batchMailsMax = 64;
export const batchBytesMax = 4 * 1024 * 1024;

/**
 * Ingests stored pending mails batch by batch, oldest first, until none is left or the caller stops asking. Prepares
 * each batch while the database takes the batch before it.
 * @param note runs in each transaction that takes some
 */
export async function* takePendingMails(stores: Stores, source: Pending, note?: NoteTaken): AsyncGenerator<Outcome[]> {
  let left = source.lease?.readAlone ?? 0;
  const read = (afterId: string) => settled(readBatch(stores, source, { afterId, isAlone: left-- > 0 }));
  let next = read(nilId);
  try {
    for (;;) {
      const page = await next;
      if (page.status === 'rejected') throw page.reason;
      const { mails, lostIds, lastId, prepared } = page.value;
      if (lastId === undefined) return;
      next = read(lastId);
      const lost = lostIds.length === 0 ? [] : await giveUp(stores, source, lostIds, note);
      yield [...lost, ...(await takeBatch(stores, source, { mails, prepared, note }))];
    }
  } finally {
    await next;
  }
}

type PreparedBatch = { mails: RawMail[]; prepared: PromiseSettledResult<PreparedMail[]>; note: NoteTaken | undefined };

async function readBatch(
  stores: Stores,
  source: Pending,
  { afterId, isAlone }: { afterId: string; isAlone: boolean },
): Promise<PendingMails & Pick<PreparedBatch, 'prepared'>> {
  const limits = { afterId, countMax: isAlone ? 1 : batchMailsMax, bytesMax: batchBytesMax };
  const page = await readPendingMails(stores, source, limits);
  const { lease } = source;
  const isDeadly = ({ id }: RawMail) => id === lease?.deadlyId;
  const readable = page.mails.filter((mail) => !isDeadly(mail));
  if (readable.length > 0)
    await lease?.noteReading(
      readable.map(({ id }) => id),
      { isAgain: isAlone },
    );
  const prepared = await settled(prepareRawMails(stores, source, readable));
  const [deadly] = page.mails.filter(isDeadly);
  if (deadly === undefined || prepared.status === 'rejected') return { ...page, prepared };
  const unread = await unreadable(stores, source, deadly, 'the service ended twice while it read this mail');
  const inOrder = [unread, ...prepared.value].sort((one, other) => (one.raw.id < other.raw.id ? -1 : 1));
  return { ...page, prepared: { ...prepared, value: inOrder } };
}

async function unreadable(
  { blobs }: Pick<Stores, 'blobs'>,
  { workspaceId }: Owner,
  raw: RawMail,
  reason: string,
): Promise<PreparedMail> {
  await blobs.put(workspaceId, raw.bytes);
  return { raw, fingerprint: raw.sha256, reason, attachments: [wholeMail(raw)] };
}

/** Keeps a rejection that nobody awaits yet. */
async function settled<Value>(work: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

type Owner = Pick<MailSource, 'workspaceId' | 'choices'>;
/** Without a lease, nothing remembers which mails were being read when the process died. */
type Pending = Owner & Pick<MailSource, 'via'> & { lease?: IngestLease };

const lostOutcome: Outcome = { kind: 'quarantined', ticketsMade: 0 };

function giveUp(
  { db }: Stores,
  { workspaceId }: Owner,
  lostIds: readonly string[],
  note?: NoteTaken,
): Promise<Outcome[]> {
  return db.tx(async (tx) => {
    const lost = await giveUpLostMails(tx, workspaceId, lostIds);
    const outcomes = Array.from({ length: lost }, () => lostOutcome);
    await note?.(tx, outcomes);
    return outcomes;
  });
}

async function takeBatch(stores: Stores, source: Owner, { mails, prepared, note }: PreparedBatch): Promise<Outcome[]> {
  try {
    if (prepared.status === 'rejected') throw prepared.reason;
    return await takeMails(stores, source, prepared.value, note);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const outcomes: Outcome[] = [];
    for (const mail of mails) outcomes.push(...(await takeAlone(stores, source, mail, note)));
    return outcomes;
  }
}

/**
 * Quarantines a mail on which our own code fails. Otherwise it would come first again and again, and block all other
 * mails.
 */
async function takeAlone(stores: Stores, source: Owner, raw: RawMail, note?: NoteTaken): Promise<Outcome[]> {
  try {
    return await takeMails(stores, source, await prepareRawMails(stores, source, [raw]), note);
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    const unread = await unreadable(stores, source, raw, `it could not be taken in (${faultName(error)})`);
    return takeMails(stores, source, [unread], note);
  }
}
