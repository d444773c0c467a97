import { EventEmitter } from 'node:events';
import {
  parseCronItems,
  Logger as QueueLogger,
  type Runner,
  run,
  runOnce,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { JobName, Jobs } from '../catalog/jobs.ts';
import type { Db } from '../database/db.ts';
import { newId } from '../lib/ids.ts';
import { correlation } from '../platform/correlation.ts';
import type { Logger } from '../platform/log.ts';
import type { Ending } from '../platform/stop.ts';
import { shareBetweenWorkspaces } from './lane-shares.ts';
import { forgetFailed, heartbeat, isReplaced, refuseLost, settle } from './queue-tables.ts';

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
      await settle(db, { poolIds: [...poolIds], failedIds }).catch((err) =>
        log.warn({ err }, 'the queue stopped without knowing whether its last jobs are settled'),
      );
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
