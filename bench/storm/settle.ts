import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, together } from '../../src/database/db.ts';
import { sql } from '../../src/database/sql.ts';
import { enqueue } from '../../src/queue/enqueue.ts';

/** What is still to be done, by what it is. */
export type Unsettled = Record<string, number>;

type SettleOptions = {
  timeoutMs: number;
  pollMs: number;
  /** As often, what waits for longer waits no more. */
  patienceMs: number;
  onWait?: (left: Unsettled) => void;
};

/**
 * Lets the clock of sweeps pass, twice, and waits each time until nothing is left to do. @returns what is left when the time
 * is over
 */
export async function settle(db: Db, options: SettleOptions): Promise<Unsettled> {
  const deadline = performance.now() + options.timeoutMs;
  let left = await countLeft(db);
  for (let sweeps = 0; sweeps < 2 && performance.now() < deadline; sweeps++) {
    await db.tx(async (tx) => {
      await tx.run(sql`
        update mailbox_syncs
        set synced_at = synced_at - interval '4 minutes', rechecked_at = rechecked_at - interval '1 hour'`);
      await tx.run(sql`update mailbox_stuck_mails set next_attempt_at = ${tx.now}`);
      await enqueue(tx, 'mailbox.sweep', {}, { key: 'mailbox.sweep' });
    });
    left = await countLeft(db);
    let shortenedAt = performance.now();
    while (Object.keys(left).length > 0 && performance.now() < deadline) {
      await sleep(options.pollMs);
      // What failed is tried again after longer and longer, in hours at last.
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

/** Jobs by the clock come again and again, and watches are due in hours: neither is waited for. */
async function countLeft(db: Db): Promise<Unsettled> {
  const counted = await db.rows<{ what: string; count: number }>(sql`
    select 'jobs ' || j.task_identifier as what, count(*) as count
    from graphile_worker.jobs j
    where j.task_identifier not in ('house.sweep', 'mail.resume')
      and (j.run_at < now() + interval '10 minutes' or j.locked_at is not null)
      and (j.task_identifier <> 'mailbox.watch' or j.run_at <= now())
    group by 1
    union all
    select 'raw mails', count(*) from raw_mails where state = 'pending'
    union all
    select 'stuck mails', count(*) from mailbox_stuck_mails
    union all
    select 'answers ' || delivery_status, count(*) from messages where delivery_status in ('queued', 'sending') group by 1
    union all
    select 'histories', count(*) from mailbox_syncs where history_page is not null
    union all
    select 'rechecks', count(*) from mailbox_syncs where recheck_page is not null`);
  return Object.fromEntries(counted.filter(({ count }) => count > 0).map(({ what, count }) => [what, count]));
}

/**
 * As if the clock had passed, for jobs that are not under way, and for mailboxes that are asked whether an answer left: asked
 * again and again within a moment they would be given up before they are believed.
 */
async function shortenWaits(db: Db, patienceMs: number): Promise<void> {
  await db.tx((tx) =>
    together([
      tx.run(sql`update mailbox_sends set unsure_since = unsure_since - interval '10 minutes'`),
      tx.run(sql`
        update graphile_worker._private_jobs set run_at = now()
        where locked_at is null and run_at > now() + make_interval(secs => ${patienceMs / 1000})`),
    ]),
  );
}
