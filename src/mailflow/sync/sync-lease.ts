import type { MailboxKey } from '../../catalog/jobs.ts';
import type { Db, Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { newId } from '../../lib/ids.ts';
import { enqueueWhenFree } from '../../mailboxes/enqueue-sync.ts';

/** The right to read a mailbox. One process has it at a time, by the database's clock. */
export type SyncLease = MailboxKey & {
  holder: string;
  /** Aborts when the lease was lost: another process may be reading. */
  signal: AbortSignal;
  /** Ends the lease after a good round. @returns false when somebody asked for another round: the lease continues */
  release(): Promise<boolean>;
  /** Ends the lease in any case. Does nothing when repeated or after the lease was lost. */
  end(): Promise<void>;
};

/** After a kill, the mailbox waits this long until another process may read it. */
const leaseSeconds = 60;
const renewalMs = 20_000;

/**
 * Takes the lease. If another process holds it, that process is asked for another round. A job also checks again when
 * the lease expires, in case its holder died.
 */
export async function takeLease(db: Db, { workspaceId, mailboxId }: MailboxKey): Promise<SyncLease | undefined> {
  const named = { workspaceId, mailboxId, holder: newId() };
  const isTaken = await db.tx((tx) => takeOrLeaveWord(tx, named));
  if (!isTaken) return undefined;
  const loss = new AbortController();
  const timer = setInterval(() => {
    // The database may return before the lease expires. Every save checks the lease anyway.
    void renew(db, named)
      .then((isOurs) => isOurs || loss.abort())
      .catch(() => {});
  }, renewalMs);
  let isReleased = false;
  return {
    ...named,
    signal: loss.signal,
    release: async () => {
      isReleased = await db.tx((tx) => release(tx, named));
      return isReleased;
    },
    end: async () => {
      clearInterval(timer);
      if (!isReleased) await db.tx((tx) => giveBack(tx, named));
    },
  };
}

export type LeaseKey = MailboxKey & Pick<SyncLease, 'holder'>;

async function takeOrLeaveWord(tx: Tx, { workspaceId, mailboxId, holder }: LeaseKey): Promise<boolean> {
  const taken = await tx.run(sql`
    update mailbox_syncs
    set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${leaseSeconds}), is_dirty = false
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and coalesce(lease_until < now(), true)`);
  if (taken === 1) return true;
  const other = await tx.maybe<{ freeInMs: number }>(sql`
    update mailbox_syncs
    set is_dirty = true
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    returning coalesce(ceil(extract(epoch from lease_until - now()) * 1000), 0)::integer as "freeInMs"`);
  if (other === undefined) return false;
  await enqueueWhenFree(tx, { workspaceId, mailboxId }, new Date(tx.now.getTime() + other.freeInMs + 1));
  return false;
}

async function renew(db: Db, { workspaceId, mailboxId, holder }: LeaseKey): Promise<boolean> {
  const renewed = await db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set lease_until = now() + make_interval(secs => ${leaseSeconds})
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`),
  );
  return renewed === 1;
}

async function release(tx: Tx, { workspaceId, mailboxId, holder }: LeaseKey): Promise<boolean> {
  const released = await tx.run(sql`
    update mailbox_syncs
    set lease_holder = null, lease_until = null, not_before = null, failures = 0, last_fault = null,
      refused_since = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder} and not is_dirty`);
  if (released === 1) return true;
  const goesOn = await tx.run(sql`
    update mailbox_syncs set is_dirty = false
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`);
  return goesOn === 0;
}

async function giveBack(tx: Tx, { workspaceId, mailboxId, holder }: LeaseKey): Promise<void> {
  await tx.run(sql`
    update mailbox_syncs set lease_holder = null, lease_until = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`);
}
