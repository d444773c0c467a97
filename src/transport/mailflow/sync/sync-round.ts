import { LeaseLost } from '../../../ground/queue/lease.ts';
import { forgetIds } from '../../../mail/mailboxes/forget-ids.ts';
import { idsReused, ProviderFault } from '../../../mail/provider-fault.ts';
import { traitsOf } from '../../../mail/providers/registry.ts';
import { areManyUnknown, forgetRemark, makeHistory, remarkMany } from './renumbered.ts';
import { dueMax, findDue, forgetSettled } from './stuck-mails.ts';
import { keepFound, liveFromOf, type MailboxReader, oldUntilOf } from './sync-fetch.ts';
import {
  beginRecheck,
  findProgress,
  type PassName,
  type SyncProgress,
  saveAnchor,
  saveCursor,
  savePage,
} from './sync-progress.ts';
import { tidyTaken } from './tidy-taken.ts';

/** A stopping worker waits for its syncs, so each sync reads older mail for about this long. */
const pieceMs = 20_000;

/**
 * Fetches a mailbox's new mail, and older mail page by page as far as the owner asked. It checks for new mail between
 * two pages, so new mail never waits for old. Each page is stored before its progress is saved. After a crash it is
 * listed again, and known mail is not fetched twice.
 * @returns whether older mail is left
 */
export async function readMailbox(reader: MailboxReader): Promise<boolean> {
  const startedAt = performance.now();
  while (await retryDue(reader)) if (performance.now() - startedAt > pieceMs) return true;
  let isMoreLeft: boolean;
  let hasBegunAnew = false;
  do {
    // Only once per run: a cursor that is lost again at once must not keep the recheck from completing.
    if (!hasBegunAnew) hasBegunAnew = await readChanges(reader);
    await beginRecheckIfDue(reader);
    const isMoreHistory = await readPageOf(reader, 'history');
    isMoreLeft = (await readPageOf(reader, 'recheck')) || isMoreHistory;
  } while (isMoreLeft && performance.now() - startedAt <= pieceMs);
  await tidyTaken(reader);
  return isMoreLeft;
}

/** @returns whether more mails may be due */
async function retryDue(reader: MailboxReader): Promise<boolean> {
  const { db, lease, clock } = reader;
  const now = clock.now();
  const due = await findDue(db, lease, now);
  if (due.length === 0) return false;
  await keepFound(reader, due);
  // Mails that failed again have a later retry time.
  await db.tx((tx) => forgetSettled(tx, lease, due, now));
  return due.length === dueMax;
}

/** @returns whether the cursor was lost and replaced */
async function readChanges(reader: MailboxReader): Promise<boolean> {
  const { account, db, lease, log } = reader;
  const { cursor } = await getProgress(reader);
  if (cursor === null) {
    await beginAnew(reader);
    return false;
  }
  let isRead = false;
  const late = lateMails(reader);
  try {
    for await (const page of account.changes(cursor)) {
      await late.heed(page.arrivals ?? []);
      await keepFound(reader, page.found, { oldUntil: late.oldUntil() });
      const next = page.cursor;
      if (next === null) continue;
      await db.tx((tx) => saveCursor(tx, lease, next));
      isRead = true;
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    const { workspaceId, mailboxId } = lease;
    log.warn({ workspaceId, mailboxId, code: error.code }, 'a mailbox is rechecked: its cursor was lost');
    await beginAnew(reader, { areIdsReused: error.code === idsReused });
    return true;
  }
  if (!isRead) throw new Error('a round of changes came to no end');
  return false;
}

const lateMax = 100;

/** People bring back single mails. Where many late ones come at once, all of these are old. */
function lateMails(reader: MailboxReader) {
  const { db, lease, log, mailbox } = reader;
  const lateUntil = liveFromOf(mailbox);
  let count = 0;
  return {
    heed: async (arrivals: readonly Date[]) => {
      const before = count;
      count += arrivals.filter((at) => at.getTime() < lateUntil).length;
      if (before > lateMax || count <= lateMax) return;
      const { workspaceId, mailboxId } = lease;
      log.warn({ workspaceId, mailboxId, count }, 'many late mails came to an inbox at once: they become history');
      await db.tx((tx) => remarkMany(tx, lease));
    },
    oldUntil: () => (count > lateMax ? Math.max(lateUntil, oldUntilOf(reader)) : oldUntilOf(reader)),
  };
}

/** Takes the cursor before listing anything: mail that comes meanwhile is found twice rather than never. */
async function beginAnew(reader: MailboxReader, { areIdsReused = false } = {}): Promise<void> {
  const { account, db, lease, log } = reader;
  const { workspaceId, mailboxId } = lease;
  const cursor = await account.anchor();
  const isHistory = areIdsReused && (await areManyUnknown(reader));
  await db.tx(async (tx) => {
    if (areIdsReused) await forgetIds(tx, lease);
    await saveAnchor(tx, lease, cursor);
    if (isHistory) await makeHistory(tx, lease);
  });
  if (isHistory) log.warn({ workspaceId, mailboxId }, 'many unknown mails came at once: they become history');
}

const recheckMs = 3_600_000;
const comparisonMs = 24 * recheckMs;

/** Finds mail that the provider's list of changes missed, by listing recent mail. */
async function beginRecheckIfDue(reader: MailboxReader): Promise<void> {
  const { db, lease, clock, mailbox } = reader;
  const { recheck, recheckedAt, comparedAt } = await getProgress(reader);
  const isFresh = (at: string | null, ms: number) => at !== null && clock.now().getTime() - Date.parse(at) < ms;
  if (recheck !== null || isFresh(recheckedAt, recheckMs)) return;
  const { comparedDays } = traitsOf(mailbox.provider);
  const days = isFresh(comparedAt, comparisonMs) ? 0 : comparedDays;
  await db.tx(async (tx) => {
    await beginRecheck(tx, lease, { days });
    if (days > 0) await forgetRemark(tx, lease);
  });
}

/** @returns whether there is another page, or a cursor to replace */
async function readPageOf(reader: MailboxReader, of: PassName): Promise<boolean> {
  const { account, db, lease, clock, mailbox } = reader;
  const { [of]: pass } = await getProgress(reader);
  if (pass === null) return false;
  const { hasArchive } = pass;
  const historyUntil = Math.max(liveFromOf(mailbox), pass.historyUntil === null ? 0 : Date.parse(pass.historyUntil));
  const since = new Date(pass.since);
  const findsMissed = of === 'recheck' && !hasArchive;
  const missedUntil = findsMissed ? new Date(clock.now().getTime() - lateMs) : undefined;
  let page: string | null;
  try {
    const { found, next } = await account.history(since, pass.page, { hasArchive });
    await keepFound(reader, found, { since, historyUntil, missedUntil });
    page = next;
  } catch (error) {
    if (!isLost(error) || pass.page === '') throw error;
    // Page tokens expire, so the pass starts again.
    page = '';
  }
  await db.tx((tx) => savePage(tx, lease, { of, page }));
  const { cursor } = await getProgress(reader);
  return page !== null || cursor === null;
}

/** The list of changes may still report younger mail. */
const lateMs = 60_000;

async function getProgress({ db, lease }: MailboxReader): Promise<SyncProgress> {
  const progress = await findProgress(db, lease);
  if (progress === undefined) throw new LeaseLost();
  return progress;
}

function isLost(error: unknown): error is ProviderFault {
  return error instanceof ProviderFault && error.kind === 'cursor-lost';
}
