import { setTimeout as sleep } from 'node:timers/promises';
import type { Job as QueueJob } from 'graphile-worker';
import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/**
 * Throws when another process considered this process dead and gave its job to another worker. The queue deletes a
 * successful job by its id alone, so success here would delete the job of the other run, with its further attempts.
 * After a failure, only the pool that holds the lock releases the job.
 */
export async function refuseLost(db: Db, { id, attempts, max_attempts, locked_by }: QueueJob): Promise<void> {
  const lock = await db.maybe<{ lockedBy: string | null; attempts: number }>(sql`
    select locked_by as "lockedBy", attempts from graphile_worker._private_jobs where id = ${id}`);
  if (lock === undefined) return;
  // Our own pool may have taken the job again. A job that lost its key has no attempts left, and may be deleted.
  const isTakenAnew = lock.attempts > attempts && lock.attempts < max_attempts;
  if (lock.lockedBy !== locked_by || isTakenAnew) throw new Error('The job was given to another worker while it ran.');
}

/**
 * Whether another job took the key of a running job. The queue does not retry a job that lost its key, and would keep
 * it for ever as failed. The other job does its work instead, so it has not failed.
 */
export async function isReplaced(db: Db, jobId: string): Promise<boolean> {
  const job = await db
    .maybe<{ key: string | null }>(sql`select key from graphile_worker._private_jobs where id = ${jobId}`)
    .catch(() => undefined);
  return job?.key === null;
}

/**
 * Deletes failed jobs that lost their key while the queue wrote their failure: `isReplaced` ran too early to see that.
 * Jobs that are still locked stay in `failedIds` for the next call.
 */
export async function forgetFailed(db: Db, failedIds: Set<string>): Promise<void> {
  if (failedIds.size === 0) return;
  const ids = [...failedIds];
  const locked = await db.rows<{ id: string }>(sql`
    select id::text as id from graphile_worker._private_jobs
    where id = any(${ids}::bigint[]) and locked_at is not null`);
  await db.tx((tx) =>
    tx.run(sql`
      delete from graphile_worker._private_jobs
      where id = any(${ids}::bigint[]) and key is null and attempts >= max_attempts and locked_at is null`),
  );
  for (const id of ids) failedIds.delete(id);
  for (const { id } of locked) failedIds.add(id);
}

/**
 * Writes the heartbeat of our worker pools, and releases jobs of dead pools. The queue itself would wait four hours.
 */
export async function heartbeat(db: Db, poolIds: string[], silentSeconds: number): Promise<void> {
  await db.tx(async (tx) => {
    await tx.run(sql`
      insert into worker_heartbeats (worker_id, seen_at)
      select id, now() from unnest(${poolIds}::text[]) id
      on conflict (worker_id) do update set seen_at = excluded.seen_at`);
    await tx.run(sql`delete from worker_heartbeats where seen_at < now() - interval '1 day'`);
  });
  const dead = await db.rows<{ poolId: string }>(sql`
    select distinct j.locked_by as "poolId"
    from graphile_worker._private_jobs j
    left join worker_heartbeats h on h.worker_id = j.locked_by
    where j.locked_by is not null
      and j.locked_at < now() - make_interval(secs => ${silentSeconds})
      and coalesce(h.seen_at < now() - make_interval(secs => ${silentSeconds}), true)`);
  if (dead.length > 0)
    await releaseJobs(
      db,
      dead.map(({ poolId }) => poolId),
    );
}

/**
 * Releases all jobs of dead pools, and deletes the jobs among them that lost their key. A job that never had a key
 * looks the same at its last attempt, and is not retried either. Both happen in one commit, since nothing would delete
 * a released job without a key later.
 */
async function releaseJobs(db: Db, poolIds: readonly string[]): Promise<void> {
  await db.tx(async (tx) => {
    // Locks the rows, so that no job loses its key between the two statements.
    const held = await tx.rows<{ id: string }>(sql`
      select id::text as id from graphile_worker._private_jobs
      where locked_by = any(${poolIds}::text[])
      order by id
      for update`);
    await tx.run(sql`select graphile_worker.force_unlock_workers(${poolIds}::text[])`);
    await tx.run(sql`
      delete from graphile_worker._private_jobs
      where id = any(${held.map(({ id }) => id)}::bigint[]) and key is null and attempts >= max_attempts`);
  });
}

const settleMsMax = 5_000;
const settleLookMs = 20;

/**
 * Waits until these stopped pools have no locked jobs. The queue does not await the statement that deletes or releases
 * an ended job. If the database closed first, the job would run again.
 */
export async function settlePools(
  db: Db,
  { poolIds, failedIds }: { poolIds: readonly string[]; failedIds: Set<string> },
): Promise<void> {
  const deadline = performance.now() + settleMsMax;
  while (performance.now() < deadline) {
    const locked = await db.maybe(sql`
      select 1 from graphile_worker._private_jobs where locked_by = any(${poolIds}::text[]) limit 1`);
    if (locked === undefined) break;
    await sleep(settleLookMs);
  }
  await forgetFailed(db, failedIds);
}
