import { noteLooseBlobs } from '../../helpdesk/files/loose-blobs.ts';
import { gatherStatistics } from '../../transport/mailflow/gather-statistics.ts';
import { fileOf } from './format.ts';
import { withIdsHere } from './ids-here.ts';
import { findImported, type Imported } from './imported-records.ts';
import { loadTicket } from './load-ticket.ts';
import type { Loading } from './loading.ts';
import { RefusedRecord } from './problems.ts';
import { type ReadTicket, readTickets } from './read-export.ts';
import { checkContents, putContents } from './take-contents.ts';

/** Few, because each holds a connection while the next are read. */
const atOnceMax = 3;
const lookedUpAtOnce = 50;
const file = fileOf('tickets');

/**
 * Loads the tickets of an export, several at once. A merged ticket waits for all tickets before it, because the ticket
 * into which it was merged is among them.
 */
export async function loadTickets(loading: Loading, lastNumber: number): Promise<void> {
  const { totals, contents, problems, signal } = loading;
  const underWay = new Set<Promise<void>>();
  let loaded = 0;
  for await (const batch of batchesOf(readTickets(contents.folder, problems))) {
    const ids = batch.map(({ ticket }) => ticket.id);
    const imported = await findImported(loading.db, loading.workspaceId, 'ticket', ids);
    for (const read of batch) {
      if (signal.aborted) break;
      const earlier = imported.get(read.ticket.id);
      if (earlier?.hash === read.hash.toString('hex')) {
        totals.tickets.known += 1;
        continue;
      }
      const isMerged = (read.ticket.mergedIntoId ?? null) !== null;
      while (underWay.size >= (isMerged ? 1 : atOnceMax)) await Promise.race(underWay);
      const work = loadOne(loading, read, earlier, lastNumber).finally(() => underWay.delete(work));
      // The next `race` or the end handles a fault. Until then this marks it as handled.
      work.catch(() => {});
      underWay.add(work);
      if (isMerged) await work;
      if (isPowerOfFour(++loaded)) await gatherStatistics(loading.db, loaded);
    }
    if (signal.aborted) break;
  }
  await Promise.all(underWay);
}

async function loadOne(
  loading: Loading,
  whole: ReadTicket,
  imported: Imported | undefined,
  lastNumber: number,
): Promise<void> {
  const { db, blobs, workspaceId, contents, ids, totals, problems, onProgress } = loading;
  const { line } = whole;
  const attachments = whole.messages.flatMap(({ content }) => content.attachments ?? []);
  const mails = whole.messages.flatMap(({ content }) => content.mails ?? []);
  try {
    if (whole.ticket.number > lastNumber)
      throw new RefusedRecord(`the number is above lastTicketNumber of the workspace, ${lastNumber}`);
    if (whole.ticket.mergedIntoId === whole.ticket.id) throw new RefusedRecord('the ticket was merged into itself');
    await checkContents(contents, { attachments, mails });
    await putContents(blobs, workspaceId, contents, { attachments, mails });
    const { ticket, messages, events } = whole;
    const read = { ...whole, ...withIdsHere({ ticket, messages, events }, ids) };
    const { getsNewNumbers: getsNewNumber, erased } = loading;
    const outcome = await db.tx((tx) => loadTicket(tx, read, { workspaceId, imported, getsNewNumber, erased }));
    totals.tickets[outcome === 'new' ? 'new' : outcome === 'deleted' ? 'known' : 'updated'] += 1;
  } catch (error) {
    problems.addError({ file, line }, error);
    // The bytes may be there already, and no row names them.
    await db.tx((tx) => noteLooseBlobs(tx, workspaceId, attachments));
  }
  onProgress(totals);
}

async function* batchesOf(tickets: AsyncIterable<ReadTicket>): AsyncGenerator<ReadTicket[]> {
  let batch: ReadTicket[] = [];
  for await (const ticket of tickets) {
    batch.push(ticket);
    if (batch.length < lookedUpAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function isPowerOfFour(count: number): boolean {
  return count >= 64 && Number.isInteger(Math.log2(count) / 2);
}
