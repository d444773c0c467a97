import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type Job as QueueJob } from 'graphile-worker';
import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/**
 * Throws when another process considered this one dead and gave its job to another worker. The queue deletes a successful job by
 * its id alone, so the other run would lose its next attempt. A failed job is released only by the pool that locks it.
 */
export async function refuseLost(db: Db, { id, attempts, max_attempts, locked_by }: QueueJob): Promise<void> {
  const lock = await db.maybe<{ lockedBy: string | null; attempts: number }>(sql`
    select locked_by as "lockedBy", attempts from graphile_worker._private_jobs where id = ${id}`);
  if (lock === undefined) return;
  // Our own pool may have it again. A job whose key another one took has no attempts left, and may be deleted.
  const isTakenAnew = lock.attempts > attempts && lock.attempts < max_attempts;
  if (lock.lockedBy !== locked_by || isTakenAnew) throw new Error('The job was given to another worker while it ran.');
}

/**
 * Whether another job took a running one's key. The queue does not try that one again, and would keep it for ever as one that
 * was given up, which its successor makes untrue.
 */
export async function isReplaced(db: Db, jobId: string): Promise<boolean> {
  const job = await db
    .maybe<{ key: string | null }>(sql`select key from graphile_worker._private_jobs where id = ${jobId}`)
    .catch(() => undefined);
  return job?.key === null;
}

/**
 * Forgets those failed jobs whose key another took while their failure was written, which `isReplaced` came too early to see. One that is
 * still locked is looked at again.
 */
export async function forgetFailed(db: Db, failedIds: Set<string>): Promise<void> {
  if (failedIds.size === 0) return;
  const ids = [...failedIds];
  const locked = await db.rows<{ id: string }>(sql`
    select id::text as id from graphile_worker._private_jobs where id = any(${ids}::bigint[]) and locked_at is not null`);
  await db.tx((tx) =>
    tx.run(sql`
      delete from graphile_worker._private_jobs
      where id = any(${ids}::bigint[]) and key is null and attempts >= max_attempts and locked_at is null`),
  );
  for (const id of ids) failedIds.delete(id);
  for (const { id } of locked) failedIds.add(id);
}

/** Writes the heartbeat of our worker pools, and gives back the jobs of dead ones, for which the queue itself waits four hours. */
export async function heartbeat(db: Db, poolIds: string[], silentSeconds: number): Promise<void> {
  await db.tx(async (tx) => {
    await tx.run(sql`
      insert into worker_heartbeats (worker_id, seen_at)
      select id, now() from unnest(${poolIds}::text[]) id
      on conflict (worker_id) do update set seen_at = excluded.seen_at`);
    await tx.run(sql`delete from worker_heartbeats where seen_at < now() - interval '1 day'`);
  });
  const silent = await db.rows<{ poolId: string }>(sql`
    select distinct j.locked_by as "poolId"
    from graphile_worker.jobs j
    left join worker_heartbeats h on h.worker_id = j.locked_by
    where j.locked_by is not null
      and j.locked_at < now() - make_interval(secs => ${silentSeconds})
      and coalesce(h.seen_at < now() - make_interval(secs => ${silentSeconds}), true)
    limit 100`);
  if (silent.length === 0) return;
  const silentIds = silent.map(({ poolId }) => poolId);
  await forgetReplaced(db, silentIds);
  const utils = await makeWorkerUtils({ pgPool: db.pool });
  try {
    await utils.forceUnlockWorkers(silentIds);
  } finally {
    await utils.release();
  }
}

/**
 * Deletes the jobs of dead pools whose key another job took, see `isReplaced`. A job that never had a key looks the same at its
 * last attempt, which is not repeated either.
 */
async function forgetReplaced(db: Db, poolIds: string[]): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`
      delete from graphile_worker._private_jobs
      where locked_by = any(${poolIds}::text[]) and key is null and attempts >= max_attempts`),
  );
}

const settleMsMax = 5_000;
const settleLookMs = 20;

/**
 * Waits until these pools, which take no more jobs, have no job locked. The queue deletes or releases a job that has ended
 * without waiting for the database, which may close first: the job would then run again.
 */
export async function settle(
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
