import type { Queryable, Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { SyncLease } from './sync-lease.ts';

/** How far a mailbox has been read. */
export type SyncProgress = {
  cursor: string | null;
  /** Where the pass over older mail goes on; null when it is through. */
  historyPage: string | null;
  historySince: string | null;
  /** Rounds that failed since the last good one. */
  failures: number;
  notBefore: string | null;
};

/** Somebody else reads the mailbox now, or it was connected anew: what was found is kept, but not how far it goes. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the mailbox was lost');
    this.name = 'LeaseLost';
  }
}

type Named = Pick<SyncLease, 'workspaceId' | 'mailboxId'>;
type Holder = Pick<SyncLease, 'workspaceId' | 'mailboxId' | 'holder'>;

/** @returns undefined for a mailbox that was never to be read */
export function findProgress(db: Queryable, { workspaceId, mailboxId }: Named): Promise<SyncProgress | undefined> {
  return db.maybe<SyncProgress>(sql`
    select cursor, history_page as "historyPage", history_since as "historySince", failures, not_before as "notBefore"
    from mailbox_syncs
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}

/** Nothing is kept of a mailbox that was paused, disconnected or connected anew since. Throws `LeaseLost`. */
export async function holdLease(tx: Tx, { workspaceId, mailboxId, holder }: Holder): Promise<void> {
  const held = await tx.maybe(sql`
    select 1 from mailbox_syncs
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}
    for share`);
  if (held === undefined) throw new LeaseLost();
}

/** Everything up to the cursor is safe. */
export async function saveCursor(tx: Tx, { workspaceId, mailboxId, holder }: Holder, cursor: string): Promise<void> {
  const saved = await tx.run(sql`
    update mailbox_syncs set cursor = ${cursor}, synced_at = ${tx.now}, refused_since = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`);
  if (saved === 0) throw new LeaseLost();
}

/**
 * Reads on from a cursor that was taken anew, and in the same commit orders the pass over what came before it and may not
 * have been seen: all since the last round, less a day (what is known is skipped), and nothing older than was asked for when
 * the mailbox was connected. Providers cut times to the second.
 */
export async function saveAnchor(tx: Tx, { workspaceId, mailboxId, holder }: Holder, cursor: string): Promise<void> {
  const saved = await tx.run(sql`
    update mailbox_syncs s
    set cursor = ${cursor}, history_page = '',
      history_since = least(
        case when s.history_page is not null then s.history_since end,
        greatest(
          coalesce(s.synced_at - interval '1 day', date_trunc('second', m.connected_at)),
          date_trunc('second', m.connected_at) - make_interval(days => m.history_days)
        )
      )
    from mailboxes m
    where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId} and s.lease_holder = ${holder}
      and m.workspace_id = ${workspaceId} and m.id = ${mailboxId}`);
  if (saved === 0) throw new LeaseLost();
}

/** @param page the next one; null when there is none */
export async function saveHistoryPage(
  tx: Tx,
  { workspaceId, mailboxId, holder }: Holder,
  page: string | null,
): Promise<void> {
  const saved = await tx.run(sql`
    update mailbox_syncs s
    set history_page = ${page}::text, failures = 0, last_fault = null, refused_since = null,
      -- Where no older mail was asked for, none was imported.
      history_since = case when ${page}::text is not null or m.history_days > 0 then s.history_since end
    from mailboxes m
    where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId} and s.lease_holder = ${holder}
      and m.workspace_id = ${workspaceId} and m.id = ${mailboxId}`);
  if (saved === 0) throw new LeaseLost();
}

/**
 * Counts a round that failed. One that lost its lease has no say any more.
 * @param isDenied the provider refused to let the mailbox be read
 * @returns since when every round was refused
 */
export async function noteFailure(
  tx: Tx,
  { workspaceId, mailboxId, holder }: Holder,
  { fault, notBefore, isDenied }: { fault: string; notBefore: Date | null; isDenied: boolean },
): Promise<Date | null> {
  const noted = await tx.maybe<{ refusedSince: string | null }>(sql`
    update mailbox_syncs
    set failures = failures + 1, last_fault = ${fault}, not_before = ${notBefore},
      refused_since = coalesce(refused_since, case when ${isDenied} then ${tx.now}::timestamptz end)
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}
    returning refused_since as "refusedSince"`);
  return noted?.refusedSince == null ? null : new Date(noted.refusedSince);
}
