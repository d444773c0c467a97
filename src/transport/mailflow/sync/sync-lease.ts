import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Db, Queryable, Tx } from '../../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';
import { providerKeys } from '../../../mail/providers/registry.ts';

/** The right to read a mailbox. One process has it at a time, by the database's clock. */
export type SyncLease = MailboxKey & {
  holder: string;
  /** Aborts when the lease was lost: another process may be reading. */
  signal: AbortSignal;
  /**
   * Ends the lease. Does nothing after the lease was lost.
   * @param read undefined if the read broke off, for example because the database was away: the mailbox is due at once
   */
  end(read: ReadEnd | undefined): Promise<void>;
};

/** With `error`, the row of the mailbox has its next time already. An undefined error needs no attention. */
export type ReadEnd = { isMoreLeft: boolean } | { error: unknown };

/** After a kill, the mailbox waits this long until another process may read it. */
const leaseSeconds = 60;
const renewalMs = 20_000;
/** Every mailbox is read this often, because a notification may be lost. */
const readEverySeconds = 180;

/**
 * Lists the mailboxes to read now. Mailboxes in error have their own times (`noteReadFault`). A later release may have
 * more providers than this process.
 */
export function listDueMailboxes(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select s.workspace_id as "workspaceId", s.mailbox_id as id
    from mailbox_syncs s
    join mailboxes m on m.workspace_id = s.workspace_id and m.id = s.mailbox_id
    where m.status in ('active', 'error') and m.provider = any(${Object.values(providerKeys)}::text[])
      and ${isDue(now)} ${within(sql`s.workspace_id`)} ${except(sql`s.mailbox_id`)}
    order by s.due_at
    limit ${rowsMax}`);
}

/** A mailbox is also due if the process that read it died. */
const isDue = (now: Date): Sql => sql`(s.due_at <= ${now} or s.lease_holder is not null)
  and (s.lease_until < now()) is not false and (s.not_before <= ${now}) is not false`;

/** Takes the lease of a mailbox that is due. A request that comes from now on makes the mailbox due again. */
export async function takeLease(db: Db, { workspaceId, mailboxId }: MailboxKey): Promise<SyncLease | undefined> {
  const named = { workspaceId, mailboxId, holder: newId() };
  const isTaken = await db.tx((tx) => claimLease(tx, named));
  if (!isTaken) return undefined;
  const loss = new AbortController();
  const timer = setInterval(() => {
    // The database may return before the lease expires. Every save checks the lease anyway.
    void renew(db, named)
      .then((isOurs) => isOurs || loss.abort())
      .catch(() => {});
  }, renewalMs);
  return {
    ...named,
    signal: loss.signal,
    end: async (read) => {
      clearInterval(timer);
      await db.tx((tx) => giveBack(tx, named, read));
    },
  };
}

export type LeaseKey = MailboxKey & Pick<SyncLease, 'holder'>;

async function claimLease(tx: Tx, { workspaceId, mailboxId, holder }: LeaseKey): Promise<boolean> {
  const taken = await tx.run(sql`
    update mailbox_syncs s
    set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${leaseSeconds}), again_at = null,
      due_at = least(
        case when s.again_at > ${tx.now} then s.again_at end,
        ${tx.now}::timestamptz + make_interval(secs => ${readEverySeconds})
      )
    where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId} and ${isDue(tx.now)}`);
  return taken === 1;
}

async function renew(db: Db, { workspaceId, mailboxId, holder }: LeaseKey): Promise<boolean> {
  const renewed = await db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set lease_until = now() + make_interval(secs => ${leaseSeconds})
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and lease_holder = ${holder}`),
  );
  return renewed === 1;
}

async function giveBack(
  tx: Tx,
  { workspaceId, mailboxId, holder }: LeaseKey,
  read: ReadEnd | undefined,
): Promise<void> {
  await tx.run(sql`
    update mailbox_syncs s
    set lease_holder = null, lease_until = null ${afterRead(tx, { workspaceId, mailboxId }, read)}
    where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId} and s.lease_holder = ${holder}`);
}

/**
 * A mail that was named a moment too early must arrive within seconds, so its retry makes the mailbox due. So do mails
 * that are to be marked or moved.
 */
function afterRead({ now }: Tx, { workspaceId, mailboxId }: MailboxKey, read: ReadEnd | undefined): Sql {
  if (read === undefined) return sql`, due_at = least(s.due_at, ${now})`;
  if ('error' in read) return emptySql;
  return sql`, not_before = null, failures = 0, last_fault = null, refused_since = null,
    due_at = least(s.due_at, case when ${read.isMoreLeft} then ${now}::timestamptz end, (
      select min(k.next_attempt_at) from mailbox_stuck_mails k
      where k.workspace_id = ${workspaceId} and k.mailbox_id = ${mailboxId}
    ), (
      select min(a.due_at) from mailbox_after_intake a
      where a.workspace_id = ${workspaceId} and a.mailbox_id = ${mailboxId}
    ))`;
}
