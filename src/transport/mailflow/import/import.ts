import { type LeftOut, leftOutKinds } from '@kontor/mail/files/folder-words.ts';
import type { SkipReason } from '@kontor/mail/files/mail-file.ts';
import type { MailOfFile } from '@kontor/mail/files/mailbox-files.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { gatherStatistics } from '../gather-statistics.ts';
import { prepareMails } from '../prepare-mails.ts';
import type { MailSource } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import type { Outcome } from '../take/take-mail.ts';
import { takeMails } from '../take/take-mails.ts';
import { batchBytesMax, batchMailsMax, takePendingMails } from '../take-pending.ts';
import type { PreparedMail } from '../understand.ts';

/** The results of an import so far. */
export type ImportTotals = {
  read: number;
  readBytes: number;
  new: number;
  /** Already here: the same bytes, or the same mail. */
  known: number;
  quarantined: number;
  /**
   * Stored by a run that was killed, and taken before the first was read: they are not new. Those that could not be
   * understood are quarantined, too.
   */
  resumed: number;
  /** The increase in the number of tickets. */
  tickets: number;
  /** Files that are not mails or could not be read, and mails that are too large, with the reason. */
  passedOver: PassedOver[];
  /** Mails that are no correspondence, as the notes of the mail program say. */
  leftOut: Record<LeftOut, number>;
};

export type PassedOver = { source: string; reason: SkipReason | 'too-large'; message: string };

/** The results of a batch. `last` is the last mail that was found. */
export type Done<Found extends MailOfFile> = ImportTotals & { found: number; last: Found | undefined };

export type ImportOptions<Found extends MailOfFile> = {
  source: MailSource;
  mails: AsyncIterable<Found>;
  /** On abort, the current batch ends and no other begins. */
  signal: AbortSignal;
  /**
   * When to ingest the mails that a killed import had stored. `last` counts each mail once, if the import goes on where
   * the killed import was. `first` also gets past a mail on which our own code fails.
   */
  pending?: 'first' | 'last';
  /** Writes down the results of a batch, in the transaction that takes its mails. */
  note?: (tx: Tx, done: Done<Found>) => Promise<void>;
  /** The import waits for it. */
  onProgress: (totals: ImportTotals) => unknown;
};

const passedOverMax = 1_000;
/** Among files that are no mails a batch also ends after this many, so that its progress shows. */
const batchFoundMax = 500;

/**
 * Imports mails in batches. While the database ingests a batch, the next batch is read, stored and parsed. The process
 * may be killed at any point: the next import ingests the stored mails. Nothing is imported twice.
 */
export async function importMails<Found extends MailOfFile>(
  stores: Stores,
  { source, mails, signal, pending = 'first', note, onProgress }: ImportOptions<Found>,
): Promise<ImportTotals> {
  const totals = noTotals();
  if (pending === 'first') await takePending();
  let underWay: Promise<void> = Promise.resolve();
  try {
    for await (const batch of batchesOf(mails)) {
      if (signal.aborted) break;
      const { prepared, isKnown } = await prepareMails(stores, source, batch.contents);
      await underWay;
      underWay = take(batch, prepared, isKnown.filter(Boolean).length);
      // The next `await underWay` handles its fault. Until then this marks the promise as handled.
      underWay.catch(() => {});
    }
  } finally {
    await underWay;
  }
  if (pending === 'last') await takePending();
  return totals;

  async function take({ contents, found, last, ...batch }: ReadBatch<Found>, prepared: PreparedMail[], known: number) {
    let done = noTotals();
    const readBytes = contents.reduce((sum, { length }) => sum + length, 0);
    const noteBatch = async (tx: Tx, outcomes: readonly Outcome[]) => {
      done = { ...noTotals(), ...batch, read: contents.length, readBytes, known };
      count(done, outcomes);
      await note?.(tx, { ...done, found, last });
    };
    if (prepared.length > 0) await takeMails(stores, source, prepared, noteBatch);
    else await stores.db.tx((tx) => noteBatch(tx, []));
    await report(done);
  }

  /** Ingests the mails that a killed import had stored. */
  async function takePending() {
    if (signal.aborted) return;
    const noteBatch = async (tx: Tx, outcomes: readonly Outcome[]) => {
      await note?.(tx, { ...countOf(outcomes), found: 0, last: undefined });
    };
    for await (const outcomes of takePendingMails(stores, source, noteBatch)) {
      const counts = countOf(outcomes);
      // Read again later, they count as mails that are here already.
      const resumed = { ...counts, new: 0, known: 0, resumed: outcomes.length };
      await report(pending === 'first' ? resumed : counts);
      if (signal.aborted) return;
    }
  }

  async function report(done: ImportTotals) {
    add(totals, done);
    await gatherStatistics(stores.db, totals.new + totals.resumed);
    await onProgress(totals);
  }
}

function noTotals(): ImportTotals {
  const leftOut = noneLeftOut();
  const counts = { read: 0, readBytes: 0, new: 0, known: 0, quarantined: 0, resumed: 0, tickets: 0 };
  return { ...counts, passedOver: [], leftOut };
}

function noneLeftOut(): Record<LeftOut, number> {
  return { drafts: 0, deleted: 0, spam: 0, chats: 0 };
}

function countOf(outcomes: readonly Outcome[]): ImportTotals {
  const totals = noTotals();
  count(totals, outcomes);
  return totals;
}

function count(totals: ImportTotals, outcomes: readonly Outcome[]): void {
  for (const { kind, ticketsMade } of outcomes) {
    totals[kind] += 1;
    totals.tickets += ticketsMade;
  }
}

function add(totals: ImportTotals, { passedOver, leftOut, ...done }: ImportTotals): void {
  for (const [name, value] of Object.entries(done)) totals[name as keyof typeof done] += value;
  for (const kind of leftOutKinds) totals.leftOut[kind] += leftOut[kind];
  totals.passedOver.push(...passedOver.slice(0, passedOverMax - totals.passedOver.length));
}

type ReadBatch<Found> = Pick<ImportTotals, 'passedOver' | 'leftOut'> & {
  contents: Buffer[];
  found: number;
  last: Found | undefined;
};

async function* batchesOf<Found extends MailOfFile>(mails: AsyncIterable<Found>): AsyncGenerator<ReadBatch<Found>> {
  const newBatch = (): ReadBatch<Found> => ({
    contents: [],
    found: 0,
    last: undefined,
    passedOver: [],
    leftOut: noneLeftOut(),
  });
  let batch = newBatch();
  let bytes = 0;
  for await (const found of mails) {
    batch.found += 1;
    batch.last = found;
    if ('raw' in found) {
      batch.contents.push(found.raw);
      bytes += found.raw.length;
    } else if ('leftOut' in found) batch.leftOut[found.leftOut] += 1;
    else batch.passedOver.push(passedOverOf(found));
    if (batch.contents.length < batchMailsMax && bytes < batchBytesMax && batch.found < batchFoundMax) continue;
    yield batch;
    batch = newBatch();
    bytes = 0;
  }
  if (batch.found > 0) yield batch;
}

function passedOverOf(found: Exclude<MailOfFile, { raw: Buffer } | { leftOut: LeftOut }>): PassedOver {
  if ('tooLarge' in found) {
    const message = `too large (${Math.ceil(found.sizeBytes / 1024 ** 2)} MiB)`;
    return { source: found.source, reason: 'too-large', message };
  }
  return { source: found.source, reason: found.skipped, message: reasons[found.skipped] };
}

const reasons: Record<SkipReason, string> = {
  'empty-file': 'empty',
  'not-a-mail': 'not a mail',
  unreadable: 'could not be read',
  damaged: 'damaged or cut off',
  encrypted: 'encrypted',
  'unknown-compression': 'compressed in a way that is not supported',
  'archive-in-archive': 'an archive in an archive: unpack it first',
  'too-many-files': 'has more than 200,000 files; the rest was left out',
  'unpacks-too-far': 'unpacks to more than 100 times its archive; the rest was left out',
};
