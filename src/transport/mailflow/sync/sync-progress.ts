import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Queryable, Tx } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import { type Held, isHeld, LeaseLost, writeHeld } from '../../../ground/queue/lease.ts';

/** How far a mailbox was read. */
export type SyncProgress = {
  cursor: string | null;
  /** The passes over older mail, and over recent mail that the list of changes may have missed; null when complete. */
  history: Pass | null;
  recheck: Pass | null;
  /** When the last recheck began, and the last one of many days. */
  recheckedAt: string | null;
  comparedAt: string | null;
  /** The rounds that failed since the last good round. */
  failures: number;
};

/** How far a list of mail was read. */
type Pass = { page: string; since: string; hasArchive: boolean; historyUntil: string | null };
export type PassName = 'history' | 'recheck';

/** @returns undefined for a mailbox that was never set up for reading */
export async function findProgress(
  db: Queryable,
  { workspaceId, mailboxId }: MailboxKey,
): Promise<SyncProgress | undefined> {
  const row = await db.maybe<ProgressRow>(sql`
    select cursor, history_page as "historyPage", history_since as "historySince", recheck_page as "recheckPage",
      recheck_since as "recheckSince", recheck_has_archive as "hasArchive", recheck_history_until as "historyUntil",
      rechecked_at as "recheckedAt", compared_at as "comparedAt", failures
    from mailbox_syncs
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  if (row === undefined) return undefined;
  const { historyPage, historySince, recheckPage, recheckSince, hasArchive, historyUntil, ...rest } = row;
  return {
    ...rest,
    history: passOf(historyPage, historySince, { hasArchive: false, historyUntil: null }),
    recheck: passOf(recheckPage, recheckSince, { hasArchive, historyUntil }),
  };
}

type ProgressRow = Omit<SyncProgress, PassName> & {
  historyPage: string | null;
  historySince: string | null;
  recheckPage: string | null;
  recheckSince: string | null;
  hasArchive: boolean;
  historyUntil: string | null;
};

function passOf(
  page: string | null,
  since: string | null,
  rest: Pick<Pass, 'hasArchive' | 'historyUntil'>,
): Pass | null {
  return page === null || since === null ? null : { page, since, ...rest };
}

/**
 * Locks the lease until the commit. Throws `LeaseLost` when the mailbox was paused, disconnected or reconnected
 * meanwhile.
 */
export async function keepHeld(tx: Tx, lease: Held): Promise<void> {
  const held = await tx.maybe(sql`select 1 from mailbox_syncs l where ${isHeld('sync', lease)} for share`);
  if (held === undefined) throw new LeaseLost();
}

/** Call only when everything up to the cursor is stored. */
export async function saveCursor(tx: Tx, lease: Held, cursor: string): Promise<void> {
  await writeHeld(tx, 'sync', lease, sql`cursor = ${cursor}, synced_at = ${tx.now}, refused_since = null`);
}

// Days depend on the session's time zone, so such functions are not immutable. In an update, Citus takes only immutable
// functions of columns, as these are without a time zone.
const utc = (time: Sql): Sql => sql`(${time} at time zone 'UTC')`;
const inUtc = (local: Sql): Sql => sql`((${local}) at time zone 'UTC')`;
const connectedSecond: Sql = inUtc(sql`date_trunc('second', ${utc(sql`m.connected_at`)})`);
const historyStart: Sql = inUtc(
  sql`date_trunc('second', ${utc(sql`m.connected_at`)}) - make_interval(days => m.history_days)`,
);

/**
 * Saves a new cursor and, in the same commit, starts a recheck of mail before it that may be unseen. The recheck
 * covers everything since the last round, less a day, but nothing older than the history that the owner asked for.
 * Known mail is skipped. Providers cut times to the second, so the bounds do too.
 */
export async function saveAnchor(tx: Tx, lease: Held, cursor: string): Promise<void> {
  const set = sql`cursor = ${cursor}, recheck_history_until = null,
    -- A history pass that has not begun covers the same mail, and more.
    recheck_page = case when l.synced_at is null and l.history_page = '' then l.recheck_page else '' end,
    recheck_has_archive = l.synced_at is not null, rechecked_at = ${tx.now},
    recheck_since = least(
      case when l.recheck_page is not null then l.recheck_since end,
      greatest(
        coalesce(${inUtc(sql`${utc(sql`l.synced_at`)} - interval '1 day'`)}, ${connectedSecond}),
        ${historyStart}
      )
    )`;
  await writeHeld(tx, 'sync', lease, set, withMailbox(lease));
}

/** Reads the mailbox `m` beside the row. */
const withMailbox = ({ workspaceId, id }: Held) => ({
  from: sql`from mailboxes m`,
  when: sql`m.workspace_id = ${workspaceId} and m.id = ${id}`,
});

/**
 * Begins a recheck of the mail since an hour before the last recheck.
 * @param days more than 0: of the mail of so many days
 */
export async function beginRecheck(tx: Tx, lease: Held, { days = 0 }: { days?: number } = {}): Promise<void> {
  // Providers cut times to the second.
  const comparedFrom = days > 0 ? new Date(Math.floor(tx.now.getTime() / 1000 - days * 86_400) * 1000) : null;
  const set = sql`recheck_page = '', recheck_has_archive = false, recheck_history_until = null,
    rechecked_at = ${tx.now},
    compared_at = case when ${days > 0} then ${tx.now}::timestamptz else l.compared_at end,
    recheck_since = greatest(
      least(
        ${inUtc(sql`${utc(sql`coalesce(l.rechecked_at, l.synced_at, m.connected_at)`)} - interval '1 hour'`)},
        ${comparedFrom}::timestamptz
      ),
      ${historyStart}
    )`;
  await writeHeld(tx, 'sync', lease, set, withMailbox(lease));
}

/** @param page the next page; null after the last page */
export async function savePage(
  tx: Tx,
  lease: Held,
  { of, page }: { of: PassName; page: string | null },
): Promise<void> {
  const place = of === 'history' ? sql`history_page = ${page}::text` : sql`recheck_page = ${page}::text`;
  await writeHeld(tx, 'sync', lease, sql`${place}, failures = 0, last_fault = null, refused_since = null`);
}

/**
 * Counts mails that the list of changes left out. Gives up the cursor in the same commit: the mails are known from then
 * on, so a later pass would not notice the failure, and archived mail is found only after the cursor was replaced.
 */
export async function noteMissed(
  tx: Tx,
  lease: Held,
  { missed, givesUpCursor }: { missed: number; givesUpCursor: boolean },
): Promise<void> {
  const cursor = sql`cursor = case when ${givesUpCursor} then null else l.cursor end`;
  await writeHeld(tx, 'sync', lease, sql`missed_mails = l.missed_mails + ${missed}, ${cursor}`);
}

/** `failures` counts those in a row. */
type Failure = { fault: string; failures: number; retryAt: Date; isThrottled: boolean; isDenied: boolean };

/**
 * Counts a failed round and moves the next one to `retryAt`, unless the lease was lost.
 * @param isThrottled whether a notification, too, must wait until then
 * @param isDenied whether the provider refused to let the mailbox be read; a provider that throttles lets it be read
 * @returns when the current series of refused rounds began
 */
export async function noteFailure(
  tx: Tx,
  lease: Held,
  { fault, failures, retryAt, isThrottled, isDenied }: Failure,
): Promise<Date | null> {
  const noted = await tx.maybe<{ refusedSince: string | null }>(sql`
    update mailbox_syncs l
    set failures = ${failures}, last_fault = ${fault}, due_at = ${retryAt},
      not_before = ${isThrottled ? retryAt : null},
      refused_since = case
        when ${isThrottled} then null
        else coalesce(l.refused_since, case when ${isDenied} then ${tx.now}::timestamptz end)
      end
    where ${isHeld('sync', lease)}
    returning refused_since as "refusedSince"`);
  return noted?.refusedSince == null ? null : new Date(noted.refusedSince);
}
