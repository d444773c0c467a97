import type { FoundMail } from '../../mail/mailbox-files.ts';
import { gatherStatistics } from '../gather-statistics.ts';
import { prepareMails } from '../ingest.ts';
import type { MailSource } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import { type Outcome, type PreparedMail, takeMails } from '../take-mails.ts';
import { batchBytesMax, batchMailsMax, takePendingMails } from '../take-pending.ts';

/** What an import has done so far. */
export type ImportTotals = {
  read: number;
  readBytes: number;
  new: number;
  /** Already here: the same bytes, or the same mail. */
  known: number;
  quarantined: number;
  /** The increase in the number of tickets. */
  tickets: number;
  /** Files that are not mails or could not be read, and mails that are too large, with the reason. */
  passedOver: { source: string; reason: string }[];
};

export type ImportOptions = {
  source: MailSource;
  mails: AsyncIterable<FoundMail>;
  /** On abort, the current batch ends and no other begins. */
  signal: AbortSignal;
  onProgress: (totals: ImportTotals) => void;
};

const passedOverMax = 1_000;

/**
 * Imports mails in batches. While the database ingests one, the next is read, stored and parsed. The process may be
 * killed at any point: the next import ingests what was stored. Nothing is imported twice.
 */
export async function importMails(
  stores: Stores,
  { source, mails, signal, onProgress }: ImportOptions,
): Promise<ImportTotals> {
  const totals: ImportTotals = { read: 0, readBytes: 0, new: 0, known: 0, quarantined: 0, tickets: 0, passedOver: [] };
  await resumePending(stores, source, totals, signal);
  let underWay: Promise<void> = Promise.resolve();
  const take = async (prepared: PreparedMail[]) => {
    count(totals, await takeMails(stores, source, prepared));
    await gatherStatistics(stores.db, totals.new);
    onProgress(totals);
  };
  try {
    for await (const contents of batchesOf(mails, totals)) {
      if (signal.aborted) break;
      const { prepared, isKnown } = await prepareMails(stores, source, contents);
      await underWay;
      totals.read += contents.length;
      totals.readBytes += contents.reduce((sum, { length }) => sum + length, 0);
      totals.known += isKnown.filter(Boolean).length;
      underWay = take(prepared);
      // The next `await underWay` handles its fault. Until then this marks the promise as handled.
      underWay.catch(() => {});
    }
  } finally {
    await underWay;
  }
  return totals;
}

/** Ingests what a killed import had stored. */
async function resumePending(
  stores: Stores,
  source: MailSource,
  totals: ImportTotals,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  for await (const outcomes of takePendingMails(stores, source)) {
    count(totals, outcomes);
    if (signal.aborted) return;
  }
}

function count(totals: ImportTotals, outcomes: readonly Outcome[]): void {
  for (const { kind, ticketsMade } of outcomes) {
    totals[kind] += 1;
    totals.tickets += ticketsMade;
  }
}

async function* batchesOf(mails: AsyncIterable<FoundMail>, totals: ImportTotals): AsyncGenerator<Buffer[]> {
  let contents: Buffer[] = [];
  let bytes = 0;
  for await (const found of mails) {
    if (!('raw' in found)) {
      if (totals.passedOver.length < passedOverMax)
        totals.passedOver.push({ source: found.source, reason: whyNot(found) });
      continue;
    }
    contents.push(found.raw);
    bytes += found.raw.length;
    if (contents.length < batchMailsMax && bytes < batchBytesMax) continue;
    yield contents;
    contents = [];
    bytes = 0;
  }
  if (contents.length > 0) yield contents;
}

function whyNot(found: Exclude<FoundMail, { raw: Buffer }>): string {
  if ('tooLarge' in found) return `too large (${Math.ceil(found.sizeBytes / 1024 ** 2)} MiB)`;
  return found.skipped === 'not-a-mail' ? 'not a mail' : 'could not be read';
}
