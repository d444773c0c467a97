import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Db, Queryable } from '../../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';
import { holdLease, isFree, type Lease, leaseColumn, takeLease } from '../../../ground/queue/lease.ts';
import { providerKeys } from '../../../mail/providers/registry.ts';

/** The right to read a mailbox. */
export type SyncLease = Lease & MailboxKey;

/**
 * How a read ended; undefined if it broke off, for example because the database was away: the mailbox is due at once.
 * With `error`, the row of the mailbox has its next time already. An undefined error needs no attention.
 */
export type ReadEnd = { isMoreLeft: boolean } | { error: unknown } | undefined;

/** Every mailbox is read this often, because a notification may be lost. */
const readEverySeconds = 180;

/**
 * Lists the mailboxes to read now. Mailboxes in error have their own times (`noteReadFault`). A later release may have
 * more providers than this process.
 */
export function listDueMailboxes(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select l.workspace_id as "workspaceId", l.mailbox_id as id
    from mailbox_syncs l
    join mailboxes m on m.workspace_id = l.workspace_id and m.id = l.mailbox_id
    where m.status in ('active', 'error') and m.provider = any(${Object.values(providerKeys)}::text[])
      and ${isDue(now)} and ${isFree('sync', 'l')} ${within(sql`l.workspace_id`)} ${except(sql`l.mailbox_id`)}
    order by l.due_at
    limit ${rowsMax}`);
}

/** A mailbox is also due if the process that read it died. */
const isDue = (now: Date): Sql => sql`(l.due_at <= ${now} or l.${leaseColumn('sync', 'holder')} is not null)
  and (l.not_before <= ${now}) is not false`;

/** Takes the lease of a mailbox that is due. A request that comes from now on makes the mailbox due again. */
export async function takeSync(db: Db, { workspaceId, mailboxId }: MailboxKey): Promise<SyncLease | undefined> {
  const lease = { workspaceId, id: mailboxId, holder: newId() };
  const taken = await db.tx((tx) =>
    takeLease(tx, 'sync', lease, {
      when: isDue(tx.now),
      set: sql`, again_at = null,
        due_at = least(
          case when l.again_at > ${tx.now} then l.again_at end,
          ${tx.now}::timestamptz + make_interval(secs => ${readEverySeconds})
        )`,
    }),
  );
  return taken === undefined ? undefined : { ...holdLease(db, 'sync', lease), mailboxId };
}

/**
 * What a read leaves in the row, as assignments. A mail that was named a moment too early must arrive within seconds,
 * so its retry makes the mailbox due. So do mails that are to be marked or moved.
 */
export function afterRead({ workspaceId, mailboxId }: MailboxKey, read: ReadEnd, now: Date): Sql {
  if (read === undefined) return sql`, due_at = least(l.due_at, ${now})`;
  if ('error' in read) return emptySql;
  return sql`, not_before = null, failures = 0, last_fault = null, refused_since = null,
    due_at = least(l.due_at, case when ${read.isMoreLeft} then ${now}::timestamptz end, (
      select min(k.next_attempt_at) from mailbox_stuck_mails k
      where k.workspace_id = ${workspaceId} and k.mailbox_id = ${mailboxId}
    ), (
      select min(a.due_at) from mailbox_after_intake a
      where a.workspace_id = ${workspaceId} and a.mailbox_id = ${mailboxId}
    ))`;
}
