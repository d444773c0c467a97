import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, together } from '../../src/ground/database/db.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { deliveryAttemptsMax } from '../../src/helpdesk/messages/queue-delivery.ts';
import { allTraits } from '../../src/mail/providers/registry.ts';
import { earlier } from '../../test/harness/earlier.ts';

/** Counts of open work by kind. */
export type Unsettled = Record<string, number>;

type SettleOptions = {
  timeoutMs: number;
  pollMs: number;
  /** How often to shorten waits that are longer than this. */
  patienceMs: number;
  onWait?: (left: Unsettled) => void;
};

/** Whether the provider does not notify of all new mail of mailbox `m`. */
export const lacksWatches = sql`(
  select count(*) from mailbox_watches w where w.workspace_id = m.workspace_id and w.mailbox_id = m.id
) < (
  select p.watches
  from unnest(${allTraits.map(({ key }) => key)}::text[], ${allTraits.map(({ watches }) => watches)}::int[])
    p (provider, watches)
  where p.provider = m.provider
)`;

/**
 * Makes all mailboxes due, twice, and waits each time until no work is open.
 * @returns the work still open at the deadline
 */
export async function settle(db: Db, options: SettleOptions): Promise<Unsettled> {
  const deadline = performance.now() + options.timeoutMs;
  let left = await countLeft(db);
  for (let looks = 0; looks < 2 && performance.now() < deadline; looks++) {
    await db.tx(async (tx) => {
      await tx.run(sql`
        update mailbox_syncs
        set due_at = least(due_at, ${tx.now}), rechecked_at = ${earlier(sql`rechecked_at`, '1 hour')}`);
      await tx.run(sql`update mailbox_stuck_mails set next_attempt_at = ${tx.now}`);
    });
    left = await countLeft(db);
    let shortenedAt = performance.now();
    while (Object.keys(left).length > 0 && performance.now() < deadline) {
      await sleep(options.pollMs);
      // Failed jobs wait longer and longer before a retry, in the end hours.
      if (performance.now() - shortenedAt > options.patienceMs) {
        await shortenWaits(db, options.patienceMs);
        shortenedAt = performance.now();
      }
      left = await countLeft(db);
      options.onWait?.(left);
    }
  }
  return left;
}

/** Leaves out jobs of the clock, which always recur, and renewals of watches in hours. Counts failing mailboxes. */
async function countLeft(db: Db): Promise<Unsettled> {
  const counted = await db.rows<{ what: string; count: number }>(sql`
    select 'jobs ' || j.task_identifier as what, count(*) as count
    from graphile_worker.jobs j
    where j.task_identifier <> 'house.sweep'
      and (j.run_at < now() + interval '10 minutes' or j.locked_at is not null)
    group by 1
    union all
    select 'mailboxes', count(*) from mailbox_syncs
    where lease_holder is not null or due_at <= now() or failures > 0
    union all
    select 'unwatched mailboxes', count(*) from mailboxes m where m.status = 'active' and ${lacksWatches}
    union all
    select 'raw mails', count(*) from raw_mails where state = 'pending'
    union all
    select 'stuck mails', count(*) from mailbox_stuck_mails
    union all
    select 'answers ' || delivery_status, count(*)
    from messages
    where delivery_status in ('queued', 'sending')
    group by 1
    union all
    select 'histories', count(*) from mailbox_syncs where history_page is not null
    union all
    select 'rechecks', count(*) from mailbox_syncs where recheck_page is not null`);
  return Object.fromEntries(counted.filter(({ count }) => count > 0).map(({ what, count }) => [what, count]));
}

/**
 * Makes waiting jobs due, except running jobs. Also ages the check whether an answer left. Without that, repeated
 * checks within a moment would give up on the answer too early. An attempt that comes so early does not count: nineteen
 * of them would end within the minutes for which a provider asks to wait.
 */
async function shortenWaits(db: Db, patienceMs: number): Promise<void> {
  // Rows that the service has locked are left out, so that no statement deadlocks with it.
  await db.tx((tx) =>
    together([
      // A mailbox rests for a minute after its watches are made. Whoever makes them now has it for longer.
      tx.run(sql`
        update mailboxes set watch_until = now()
        where (workspace_id, id) in (
          select m.workspace_id, m.id from mailboxes m
          where ${lacksWatches} and m.watch_until between now() and now() + interval '1 minute'
          for update skip locked)`),
      tx.run(sql`
        update mailbox_sends set unsure_since = ${earlier(sql`unsure_since`, '10 minutes')}
        where (workspace_id, message_id) in (
          select workspace_id, message_id from mailbox_sends where unsure_since is not null for update skip locked)`),
      tx.run(sql`
        update mailbox_syncs set due_at = least(due_at, ${tx.now}), not_before = null
        where (workspace_id, mailbox_id) in (
          select workspace_id, mailbox_id from mailbox_syncs where failures > 0 for update skip locked)`),
      tx.run(sql`
        update graphile_worker._private_jobs
        set run_at = now(), attempts = 0, max_attempts = greatest(max_attempts, ${deliveryAttemptsMax})
        where id in (
          select id from graphile_worker._private_jobs
          where locked_at is null and run_at > now() + make_interval(secs => ${patienceMs / 1000})
          for update skip locked)`),
    ]),
  );
}
