import { ProviderFault } from '../mail/provider.ts';
import { enqueueRetry } from '../mailboxes/enqueue-sync.ts';
import { dueMax, findDue, findNextRetry, forgetSettled } from './stuck-mails.ts';
import { keepFound, type MailboxReader } from './sync-fetch.ts';
import {
  findProgress,
  LeaseLost,
  type SyncProgress,
  saveAnchor,
  saveCursor,
  saveHistoryPage,
} from './sync-progress.ts';

/** A worker that stops waits for its jobs: older mail is fetched in pieces of about this length. */
const pieceMs = 20_000;

/**
 * Fetches what is new in a mailbox, and older mail as far as that was asked for, page by page; between two pages it looks for
 * what is new, which so never waits for the old. Each page is safe before it is noted that it was read: after a crash it is
 * listed again, and what is known is not fetched twice.
 * @returns whether older mail is left
 */
export async function readMailbox(reader: MailboxReader): Promise<boolean> {
  const startedAt = performance.now();
  while (await retryDue(reader)) if (performance.now() - startedAt > pieceMs) return true;
  let isMoreLeft: boolean;
  do {
    await readChanges(reader);
    isMoreLeft = await readHistoryPage(reader);
  } while (isMoreLeft && performance.now() - startedAt <= pieceMs);
  await enqueueNextRetry(reader);
  return isMoreLeft;
}

/** @returns whether there may be more of them */
async function retryDue(reader: MailboxReader): Promise<boolean> {
  const { db, lease, clock } = reader;
  const now = clock.now();
  const due = await findDue(db, lease, now);
  if (due.length === 0) return false;
  await keepFound(reader, due);
  // Those that still could not be had have a later time by now.
  await db.tx((tx) => forgetSettled(tx, lease, due, now));
  return due.length === dueMax;
}

/** The sweep comes every few minutes; a mail that was named a moment too early is to be there in seconds. */
async function enqueueNextRetry({ db, lease }: MailboxReader): Promise<void> {
  const at = await findNextRetry(db, lease);
  if (at !== null) await db.tx((tx) => enqueueRetry(tx, lease, new Date(at)));
}

async function readChanges(reader: MailboxReader): Promise<void> {
  const { account, db, lease, log } = reader;
  const { cursor } = await getProgress(reader);
  if (cursor === null) return beginAnew(reader);
  try {
    for await (const page of account.changes(cursor)) {
      await keepFound(reader, page.found);
      const next = page.cursor;
      if (next !== null) return await db.tx((tx) => saveCursor(tx, lease, next));
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    const { workspaceId, mailboxId } = lease;
    log.warn({ workspaceId, mailboxId, code: error.code }, 'a mailbox is looked through anew: its cursor was lost');
    return beginAnew(reader);
  }
  throw new Error('a round of changes came to no end');
}

/** The cursor is taken before anything is listed: what comes meanwhile is found twice rather than not at all. */
async function beginAnew({ account, db, lease }: MailboxReader): Promise<void> {
  const cursor = await account.anchor();
  await db.tx((tx) => saveAnchor(tx, lease, cursor));
}

/** @returns whether there is another page */
async function readHistoryPage(reader: MailboxReader): Promise<boolean> {
  const { account, db, lease } = reader;
  const { historyPage, historySince } = await getProgress(reader);
  if (historyPage === null || historySince === null) return false;
  const since = new Date(historySince);
  let next: string | null;
  try {
    const page = await account.history(since, historyPage);
    await keepFound(reader, page.found, since);
    next = page.next;
  } catch (error) {
    if (!isLost(error) || historyPage === '') throw error;
    // A place in a list does not keep for ever.
    next = '';
  }
  await db.tx((tx) => saveHistoryPage(tx, lease, next));
  return next !== null;
}

async function getProgress({ db, lease }: MailboxReader): Promise<SyncProgress> {
  const progress = await findProgress(db, lease);
  if (progress === undefined) throw new LeaseLost();
  return progress;
}

function isLost(error: unknown): error is ProviderFault {
  return error instanceof ProviderFault && error.kind === 'cursor-lost';
}
