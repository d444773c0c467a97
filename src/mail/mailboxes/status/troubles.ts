import { record } from '../../../events/activity/record.ts';
import type { MailboxField } from '../../../ground/catalog/events.ts';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Db, Tx } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import type { Clock } from '../../../ground/lib/clock.ts';
import { nilId } from '../../../ground/lib/ids.ts';
import type { ReasonKey } from '../../providers/mailbox-reasons.ts';
import { lockMailbox } from '../lock-mailbox.ts';
import { changeState } from './write.ts';

/** The column with the time of the last notification. */
const toldColumns: Record<MailboxField, Sql> = { status: sql`status_told_at`, sendStatus: sql`send_status_told_at` };

const reminderHours = 24;
const remindersMax = 100;

/** Reminds owners and admins daily of mailboxes that still cannot read or send, or are out of reach. */
export async function remindOfTroubles({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  for (const field of ['status', 'sendStatus'] as const) {
    for (let last: MailboxKey | undefined = beforeAny; last !== undefined; ) {
      const due: MailboxKey[] = await findDue(db, clock.now(), { field, after: last });
      for (const mailbox of due) await db.tx((tx) => remindOf(tx, field, mailbox));
      last = due.length < remindersMax ? undefined : due.at(-1);
    }
  }
}

type Trouble = { status: string; since: string; reason: string | null; reasonKey: ReasonKey | null };
const beforeAny: MailboxKey = { workspaceId: nilId, mailboxId: nilId };

/** An active mailbox is out of reach after so many failures in a row, and so long after its last good read. */
const unreachable = { failures: 10, minutes: 60 };

/** The workspace is named by a parameter or by `m`. Citus accepts either, but not both in one statement. */
type Asked = { now: Date; workspaceId: Sql };

/** When a mailbox `m` was last read, if it is active and out of reach; null for others. */
const unreachableSince = ({ now, workspaceId }: Asked): Sql => sql`case when m.status = 'active' then (
    select coalesce(s.synced_at, m.connected_at)
    from mailbox_syncs s
    where s.workspace_id = ${workspaceId} and s.mailbox_id = m.id and s.failures >= ${unreachable.failures}
      and coalesce(s.synced_at, m.connected_at)
        <= ${now}::timestamptz - make_interval(mins => ${unreachable.minutes})
  ) end`;

/**
 * Paused mailboxes need no reminder. A mailbox that must be connected again gets a single reminder, about its
 * `status`.
 */
const troubled: Record<MailboxField, (asked: Asked) => Sql> = {
  status: (asked) => sql`(m.status in ('error', 'reauthorization_required') or ${unreachableSince(asked)} is not null)`,
  sendStatus: () => sql`m.send_status = 'error' and m.status in ('active', 'error')`,
};
const shown: Record<MailboxField, (asked: Asked) => Sql> = {
  status: (asked) => sql`
    case when ${unreachableSince(asked)} is null then m.status else 'unreachable' end as status,
    coalesce(${unreachableSince(asked)}, m.status_changed_at) as since, m.status_reason as reason,
    m.status_reason_key as "reasonKey"`,
  sendStatus: () => sql`
    m.send_status as status, coalesce(m.send_status_changed_at, m.connected_at) as since,
    m.send_status_reason as reason, m.send_status_reason_key as "reasonKey"`,
};

/**
 * Whether the mailbox worked after the last notification, and fails again. Only a mailbox that was out of reach needs
 * the check: a change of status clears the time of the notification.
 */
const failsAgain: Record<MailboxField, (asked: Asked) => Sql> = {
  status: (asked) => sql`m.status_told_at < ${unreachableSince(asked)}`,
  sendStatus: () => sql`false`,
};

const isDue = (field: MailboxField, asked: Asked): Sql => sql`${troubled[field](asked)} and (
    coalesce(m.${toldColumns[field]} <= ${asked.now}::timestamptz - make_interval(hours => ${reminderHours}), true)
    or ${failsAgain[field](asked)}
  )`;

function findDue(
  db: Db,
  now: Date,
  { field, after }: { field: MailboxField; after: MailboxKey },
): Promise<MailboxKey[]> {
  return db.rows<MailboxKey>(sql`
    select workspace_id as "workspaceId", id as "mailboxId"
    from mailboxes m
    where ${isDue(field, { now, workspaceId: sql`m.workspace_id` })}
      and (workspace_id, id) > (${after.workspaceId}::uuid, ${after.mailboxId}::uuid)
    order by workspace_id, id
    limit ${remindersMax}`);
}

/**
 * The lock lets only one of two concurrent sweeps send the reminder: the other one then finds none due. The condition
 * is not a part of the update or the lock, because Citus refuses both with its subqueries.
 */
async function remindOf(tx: Tx, field: MailboxField, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  if (!(await lockMailbox(tx, { workspaceId, mailboxId }))) return;
  const asked = { now: tx.now, workspaceId: sql`${workspaceId}` };
  const trouble = await tx.maybe<Trouble>(sql`
    select ${shown[field](asked)}
    from mailboxes m
    where m.workspace_id = ${workspaceId} and m.id = ${mailboxId} and ${isDue(field, asked)}`);
  if (trouble === undefined) return;
  await changeState(tx, { workspaceId, mailboxId }, { kind: 'remind', field });
  const { status, since, reason } = trouble;
  const data = { mailboxId, field, status, since, reason };
  await record(tx, { workspaceId, userId: null }, { type: 'mailbox.reminded', data });
}

/** The present status of a mailbox; undefined when the mailbox no longer exists. */
export function findTrouble(
  tx: Tx,
  { workspaceId, mailboxId, field }: MailboxKey & { field: MailboxField },
): Promise<(Trouble & { address: string }) | undefined> {
  return tx.maybe(sql`
    select m.address, ${shown[field]({ now: tx.now, workspaceId: sql`${workspaceId}` })}
    from mailboxes m
    where m.workspace_id = ${workspaceId} and m.id = ${mailboxId}`);
}
