import { EventEmitter } from 'node:events';
import {
  makeWorkerUtils,
  parseCronItems,
  type Job as QueueJob,
  Logger as QueueLogger,
  type Runner,
  run,
  runOnce,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { JobName, Jobs } from '../catalog/jobs.ts';
import { newId } from '../lib/ids.ts';
import { correlation } from './correlation.ts';
import type { Db } from './db.ts';
import { shareBetweenWorkspaces } from './lane-shares.ts';
import type { Logger } from './log.ts';
import { sql } from './sql.ts';
import type { Ending } from './stop.ts';

export type JobHandlers = { [Name in JobName]: (payload: Jobs[Name], job: JobAttempt) => Promise<void> };
export type JobAttempt = { attempt: number; attemptsMax: number };

/** When, in crontab form and UTC, and what. */
export type CronEntry = { match: string; job: JobName };

/** Jobs with workers of their own: however long they take, no other job waits for them. Workspaces share the workers. */
export type Lane = { jobs: readonly JobName[]; concurrency: number };

export type QueueOptions = {
  db: Db;
  log: Logger;
  handlers: JobHandlers;
  crontab: readonly CronEntry[];
  /** Of all jobs that are in none of the lanes. */
  concurrency: number;
  lanes?: readonly Lane[];
  /** A process without a heartbeat for this long is considered dead, and its jobs are given back. */
  silentSeconds?: number;
};

const heartbeatMs = 10_000;
const failedLookMs = 1_000;
const silentSecondsDefault = 30;

/** The part of the service that works off jobs, running. */
export type Queue = {
  isRunning(): boolean;
  /** Settles only when it ended without being asked to. */
  died: Promise<Ending>;
  /** Takes no more jobs and lets the running ones end. */
  stop(): Promise<void>;
};

/** Works off the queue until stopped. */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const { db, log, silentSeconds = silentSecondsDefault } = options;
  // The queue locks jobs under the id of their worker pool.
  const poolIds = new Set<string>();
  const failedIds = new Set<string>();
  const runners = new Set<Runner>();
  const stopAll = () => Promise.all([...runners].map((runner) => runner.stop()));
  try {
    for (const crew of crewsOf(options)) {
      const events: WorkerEvents = new EventEmitter();
      events.on('pool:create', ({ workerPool }) => poolIds.add(workerPool.id));
      const runner = await startRunner(options, crew, events);
      runners.add(runner);
      runner.events.on('job:error', ({ job }) => {
        if (job.key !== null) failedIds.add(job.id);
      });
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  const beat = () =>
    heartbeat(db, [...poolIds], silentSeconds).catch((err) =>
      log.warn({ err }, 'a worker heartbeat could not be written'),
    );
  await beat();
  const timer = setInterval(() => void beat(), heartbeatMs);
  // What could not be looked at now is looked at the next time.
  const looking = setInterval(() => void forgetFailed(db, failedIds).catch(() => {}), failedLookMs);
  let state: 'running' | 'stopping' | 'ended' = 'running';
  const died = new Promise<Ending>((resolve) => {
    const onEnd = (runner: Runner, err?: unknown): void => {
      runners.delete(runner);
      if (state === 'running') {
        log.error({ err }, 'the job runner ended');
        resolve({ reason: 'The job runner ended by itself, so the process ends: start it again.', exitCode: 1 });
      }
      state = 'ended';
    };
    for (const runner of runners)
      runner.promise.then(
        () => onEnd(runner),
        (err) => onEnd(runner, err),
      );
  });
  return {
    isRunning: () => state === 'running',
    died,
    stop: async () => {
      clearInterval(timer);
      clearInterval(looking);
      state = 'stopping';
      await stopAll();
    },
  };
}

/** The workers of one lane, or of all jobs beside the lanes: those also see to what the clock wants. */
type Crew = { tasks: TaskList; crontab: readonly CronEntry[]; concurrency: number };

function crewsOf({ crontab, concurrency, lanes = [], ...options }: QueueOptions): Crew[] {
  const tasks = Object.entries(taskList(options));
  const laneOf = (name: string) => lanes.find(({ jobs }) => (jobs as readonly string[]).includes(name));
  const crewOf = (lane?: Lane) => Object.fromEntries(tasks.filter(([name]) => laneOf(name) === lane));
  return [
    { tasks: crewOf(), crontab, concurrency },
    ...lanes.map((lane) => ({ tasks: crewOf(lane), crontab: [], concurrency: lane.concurrency })),
  ];
}

/** So often a second a crew asks for jobs whose time has come; of others it is told. */
const pollsPerSecond = 5;

function startRunner(
  { db, log }: Pick<QueueOptions, 'db' | 'log'>,
  { tasks, crontab, concurrency }: Crew,
  events: WorkerEvents,
): Promise<Runner> {
  return run({
    pgPool: db.pool,
    taskList: tasks,
    events,
    forbiddenFlags: shareBetweenWorkspaces(events, concurrency),
    // By its key one that still waits for its next attempt makes way for the new one.
    parsedCronItems: parseCronItems(crontab.map(({ match, job }) => ({ match, task: job, options: { jobKey: job } }))),
    concurrency,
    noHandleSignals: true,
    pollInterval: (concurrency / pollsPerSecond) * 1_000,
    logger: queueLogger(log),
  });
}

/** Runs what is due and returns when nothing is; for tests and one-off commands. */
export async function drainQueue({ db, log, handlers }: Pick<QueueOptions, 'db' | 'log' | 'handlers'>): Promise<void> {
  await runOnce({
    pgPool: db.pool,
    taskList: taskList({ db, handlers, log }),
    noHandleSignals: true,
    // Only of what it settles in batches does the queue wait to hear that it is written.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: queueLogger(log),
  });
}

type TaskOptions = Pick<QueueOptions, 'db' | 'handlers' | 'log' | 'silentSeconds'>;

function taskList({ db, handlers, log, silentSeconds = silentSecondsDefault }: TaskOptions): TaskList {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      async (payload: unknown, { job }) => {
        const { correlationId, ...body } = (payload ?? {}) as { correlationId?: string };
        await correlation.run(correlationId ?? newId(), async () => {
          const startedAt = performance.now();
          try {
            await (handler as (body: unknown, job: JobAttempt) => Promise<void>)(body, {
              attempt: job.attempts,
              attemptsMax: job.max_attempts,
            });
            log.info({ job: name, jobId: job.id, durationMs: Math.round(performance.now() - startedAt) }, 'job done');
          } catch (err) {
            const isLast = job.attempts >= job.max_attempts;
            log[isLast ? 'error' : 'warn']({ err, job: name, jobId: job.id, attempt: job.attempts }, 'job failed');
            if (job.key === null || !(await isReplaced(db, job.id))) throw err;
          }
          if (performance.now() - startedAt >= silentSeconds * 1_000) await refuseLost(db, job);
        });
      },
    ]),
  );
}

/**
 * Throws when another process considered this one dead and gave its job to another worker. The queue deletes a successful job by
 * its id alone, so the other run would lose its next attempt. A failed job is released only by the pool that locks it.
 */
async function refuseLost(db: Db, { id, attempts, max_attempts, locked_by }: QueueJob): Promise<void> {
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
async function isReplaced(db: Db, jobId: string): Promise<boolean> {
  const job = await db
    .maybe<{ key: string | null }>(sql`select key from graphile_worker._private_jobs where id = ${jobId}`)
    .catch(() => undefined);
  return job?.key === null;
}

/**
 * Forgets those failed jobs whose key another took while their failure was written, which `isReplaced` came too early to see. One that is
 * still locked is looked at again.
 */
async function forgetFailed(db: Db, failedIds: Set<string>): Promise<void> {
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
async function heartbeat(db: Db, poolIds: string[], silentSeconds: number): Promise<void> {
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

function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    // A failed job is logged where it ran, without the text that an error may bring along.
    if (meta?.failure === true) return;
    if (level === 'error') log.error({ queue: scope }, message);
    else if (level === 'warning') log.warn({ queue: scope }, message);
    else log.debug({ queue: scope }, message);
  });
}

/** How long the queue waits after a failed attempt: graphile-worker's own rule, e to the power of the attempt (10 at most), in seconds. */
export function retryDelayMs(attempt: number): number {
  return Math.round(Math.exp(Math.min(10, attempt)) * 1000);
}
