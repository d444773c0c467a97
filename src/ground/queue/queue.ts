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
import { traced } from '../lib/traced.ts';
import { correlation } from '../platform/correlation.ts';
import type { Logger } from '../platform/log.ts';
import type { Ending } from '../platform/stop.ts';
import { shareBetweenWorkspaces } from './lane-shares.ts';
import { forgetFailed, heartbeat, isReplaced, refuseLost, settlePools } from './queue-tables.ts';

export type JobHandlers = { [Name in JobName]: (payload: Jobs[Name], job: JobAttempt) => Promise<void> };
export type JobAttempt = { attempt: number; attemptsMax: number };

/** A scheduled job. `match` is in crontab syntax and UTC. */
export type CronEntry = { match: string; job: JobName };

/** Jobs with workers of their own, so that no other job waits for them. Workspaces share the workers. */
export type Lane = { jobs: readonly JobName[]; concurrency: number };

export type QueueOptions = {
  db: Db;
  log: Logger;
  handlers: JobHandlers;
  crontab: readonly CronEntry[];
  /** The number of workers for jobs outside the lanes. */
  concurrency: number;
  lanes?: readonly Lane[];
  /** A process without a heartbeat for this long counts as dead, and its jobs are released. */
  silentSeconds?: number;
};

const heartbeatMs = 10_000;
const failedLookMs = 1_000;
const silentSecondsDefault = 30;

/** A running queue worker. */
export type Queue = {
  isRunning(): boolean;
  /** Resolves only when the worker ends without a call of `stop`. */
  died: Promise<Ending>;
  /** Takes no more jobs and waits for the running jobs. */
  stop(): Promise<void>;
};

/** Runs jobs until stopped. */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const { db, log, silentSeconds = silentSecondsDefault } = options;
  // The queue locks jobs with the id of their worker pool.
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
  // A failed look is harmless: the next look covers the same jobs.
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
      await settlePools(db, { poolIds: [...poolIds], failedIds }).catch((err) =>
        log.warn({ err }, 'the queue stopped without knowing whether its last jobs are settled'),
      );
    },
  };
}

/** The workers of one lane, or those for all other jobs. The latter also run the crontab. */
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

/**
 * How often per second a crew polls for jobs that have become due. PostgreSQL notifies it of jobs that are due at once.
 */
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
    // The job key lets a new job replace a job that still waits for its next attempt.
    parsedCronItems: parseCronItems(crontab.map(({ match, job }) => ({ match, task: job, options: { jobKey: job } }))),
    concurrency,
    noHandleSignals: true,
    pollInterval: (concurrency / pollsPerSecond) * 1_000,
    logger: queueLogger(log),
  });
}

/** Runs all due jobs, then returns. For tests and one-off commands. */
export async function drainQueue({ db, log, handlers }: Pick<QueueOptions, 'db' | 'log' | 'handlers'>): Promise<void> {
  await runOnce({
    pgPool: db.pool,
    taskList: taskList({ db, handlers, log }),
    noHandleSignals: true,
    // The delays turn batches on: only in batches does the queue wait until the results of jobs are written.
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
        const { correlationId, traceparent, ...body } = (payload ?? {}) as {
          correlationId?: string;
          traceparent?: string;
        };
        const work = async () => {
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
        };
        await correlation.run(correlationId ?? newId(), () => traced({ kind: 'job', name, traceparent }, work));
      },
    ]),
  );
}

function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    // `taskList` logs failed jobs itself, without the text that an error may carry.
    if (meta?.failure === true) return;
    if (level === 'error') log.error({ queue: scope }, message);
    else if (level === 'warning') log.warn({ queue: scope }, message);
    else log.debug({ queue: scope }, message);
  });
}

/** The pause after a failed attempt. graphile-worker waits e^attempt seconds, with the attempt capped at 10. */
export function retryDelayMs(attempt: number): number {
  return Math.round(Math.exp(Math.min(10, attempt)) * 1000);
}
