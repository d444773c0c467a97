import type { JobName, Jobs } from '../catalog/jobs.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { currentTraceparent } from '../lib/traced.ts';
import { correlation } from '../platform/correlation.ts';

export type EnqueueOptions = {
  /** Jobs with the same key collapse into one waiting job. */
  key?: string;
  maxAttempts?: number;
  /** The earliest start, by the clock of `tx.now`. Default: at once. */
  runAt?: Date;
  /** Jobs with a lower number run first within their lane. Default: 0. */
  priority?: number;
};

const attemptsMaxDefault = 25;

/** Adds a job in the caller's transaction: the job runs if, and only if, the transaction commits. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: Jobs[Name],
  { key, maxAttempts = attemptsMaxDefault, runAt, priority }: EnqueueOptions = {},
): Promise<void> {
  await add(tx, [{ name, payload, key, runAt, priority, correlationId: correlation.getStore() }], maxAttempts);
}

/** A job for `enqueueAll`. Each job has its own key. */
export type KeyedJob = {
  [Name in JobName]: {
    name: Name;
    payload: Jobs[Name];
    key: string;
    /** As in `EnqueueOptions`. */
    runAt?: Date;
    /** The id of the request that causes the job. */
    correlationId: string | undefined;
  };
}[JobName];

/** Adds many jobs in one statement, like `enqueue`. */
export async function enqueueAll(tx: Tx, jobs: readonly KeyedJob[]): Promise<void> {
  // One order everywhere prevents a deadlock between two transactions that write the same jobs.
  const sorted = jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await add(tx, sorted, attemptsMaxDefault);
}

type AddedJob = {
  name: JobName;
  payload: Jobs[JobName];
  key?: string | undefined;
  runAt?: Date | undefined;
  priority?: number | undefined;
  correlationId: string | undefined;
};

async function add(tx: Tx, jobs: readonly AddedJob[], maxAttempts: number): Promise<void> {
  // The job's log lines carry the correlation id of the request that causes it, and its spans the same trace.
  const traceparent = currentTraceparent();
  const bodies = jobs.map(({ payload, correlationId }) => JSON.stringify({ ...payload, correlationId, traceparent }));
  const keys = jobs.map(({ key }) => key ?? null);
  const priorities = jobs.map(({ priority = 0 }) => priority);
  const runAts = jobs.map(({ runAt }) => runAt?.toISOString() ?? null);
  await tx.run(sql`
    select enqueue_jobs(${jobs.map(({ name }) => name)}::text[], ${bodies}::text[], ${keys}::text[],
      -- The queue uses the database's clock, which may differ from ours.
      array(select now() + (run_at - ${tx.now}::timestamptz) from unnest(${runAts}::timestamptz[]) run_at),
      ${priorities}::smallint[], ${maxAttempts}::smallint)`);
}
