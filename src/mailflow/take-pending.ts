import { isDatabaseAway } from '../database/faults.ts';
import { nilId } from '../lib/ids.ts';
import { prepareRawMails } from './ingest.ts';
import { faultName, isOfThisMail } from './mail-faults.ts';
import { giveUpLostMails, type PendingMails, readPendingMails } from './pending-mails.ts';
import { wholeMail } from './quarantine.ts';
import type { MailSource, RawMail } from './raw-mails.ts';
import type { Stores } from './stores.ts';
import type { Outcome, PreparedMail } from './take/take-mail.ts';
import { type NoteTaken, takeMails } from './take/take-mails.ts';

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
export async function* takePendingMails(
  stores: Stores,
  source: Owner & Pick<MailSource, 'via'>,
  note?: NoteTaken,
): AsyncGenerator<Outcome[]> {
  let next = settled(readBatch(stores, source, nilId));
  try {
    for (;;) {
      const read = await next;
      if (read.status === 'rejected') throw read.reason;
      const { mails, lostIds, lastId, prepared } = read.value;
      if (lastId === undefined) return;
      next = settled(readBatch(stores, source, lastId));
      const lost = lostIds.length === 0 ? [] : await giveUp(stores, source, lostIds, note);
      yield [...lost, ...(await takeBatch(stores, source, { mails, prepared, note }))];
    }
  } finally {
    await next;
  }
}

type Batch = { mails: RawMail[]; prepared: PromiseSettledResult<PreparedMail[]>; note: NoteTaken | undefined };

async function readBatch(
  stores: Stores,
  source: Owner & Pick<MailSource, 'via'>,
  afterId: string,
): Promise<PendingMails & Pick<Batch, 'prepared'>> {
  const limits = { afterId, countMax: batchMailsMax, bytesMax: batchBytesMax };
  const page = await readPendingMails(stores, source, limits);
  return { ...page, prepared: await settled(prepareRawMails(stores, source, page.mails)) };
}

/** Keeps a rejection that nobody awaits yet. */
async function settled<Value>(work: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

type Owner = Pick<MailSource, 'workspaceId' | 'choices'>;

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

async function takeBatch(stores: Stores, source: Owner, { mails, prepared, note }: Batch): Promise<Outcome[]> {
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
    await stores.blobs.put(source.workspaceId, raw.bytes);
    const reason = `it could not be taken in (${faultName(error)})`;
    const unread = { raw, fingerprint: raw.sha256, reason, attachments: [wholeMail(raw)] };
    return takeMails(stores, source, [unread], note);
  }
}
