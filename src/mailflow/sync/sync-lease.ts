import type { Jobs } from '../../catalog/jobs.ts';
import type { Db, Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { newId } from '../../lib/ids.ts';
import { enqueueWhenFree } from '../../mailboxes/enqueue-sync.ts';

/** The right to read a mailbox: one process has it at a time, by the database's clock. */
export type SyncLease = Jobs['mailbox.sync'] & {
  holder: string;
  /** Aborts when the lease was lost: another may be reading. */
  signal: AbortSignal;
  /** Gives the lease back after a good round. @returns false where somebody asked for another meanwhile: the lease goes on */
  release(): Promise<boolean>;
  /** Gives it back in any case; again, or once it is lost, it does nothing. */
  end(): Promise<void>;
};

/** A killed process's mailbox waits so long, until another may read it. */
const leaseSeconds = 60;
const renewalMs = 20_000;

/**
 * Takes the lease; where another has it, that one is told to look once more, and a job looks again when the lease would run
 * out, should its holder be dead.
 */
export async function takeLease(
  db: Db,
  { workspaceId, mailboxId }: Jobs['mailbox.sync'],
): Promise<SyncLease | undefined> {
  const named = { workspaceId, mailboxId, holder: newId() };
  const isTaken = await db.tx((tx) => takeOrLeaveWord(tx, named));
  if (!isTaken) return undefined;
  const loss = new AbortController();
  const timer = setInterval(() => {
    // A database that is away for now may be back before the lease runs out; whatever is kept asks for the lease anyway.
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

type Holder = Pick<SyncLease, 'workspaceId' | 'mailboxId' | 'holder'>;

async function takeOrLeaveWord(tx: Tx, { workspaceId, mailboxId, holder }: Holder): Promise<boolean> {
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

async function renew(db: Db, { workspaceId, mailboxId, holder }: Holder): Promise<boolean> {
  const renewed = await db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set lease_until = now() + make_interval(secs => ${leaseSeconds})
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`),
  );
  return renewed === 1;
}

async function release(tx: Tx, { workspaceId, mailboxId, holder }: Holder): Promise<boolean> {
  const released = await tx.run(sql`
    update mailbox_syncs
    set lease_holder = null, lease_until = null, not_before = null, failures = 0, last_fault = null, refused_since = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder} and not is_dirty`);
  if (released === 1) return true;
  const goesOn = await tx.run(sql`
    update mailbox_syncs set is_dirty = false
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`);
  return goesOn === 0;
}

async function giveBack(tx: Tx, { workspaceId, mailboxId, holder }: Holder): Promise<void> {
  await tx.run(sql`
    update mailbox_syncs set lease_holder = null, lease_until = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`);
}
