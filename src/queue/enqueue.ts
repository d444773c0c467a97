import type { JobName, Jobs } from '../catalog/jobs.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { correlation } from '../platform/correlation.ts';

export type EnqueueOptions = {
  /** Repeats with the same key collapse into one waiting job. */
  key?: string;
  maxAttempts?: number;
  /** Not before, by the clock of `tx.now`; at once when left out. */
  runAt?: Date;
  /** Jobs with a lower number run first within their lane; 0 when left out. */
  priority?: number;
};

const attemptsMaxDefault = 25;

/** Adds a job in the caller's transaction: it runs if, and only if, that commits. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: Jobs[Name],
  { key, maxAttempts = attemptsMaxDefault, runAt, priority }: EnqueueOptions = {},
): Promise<void> {
  await add(tx, [{ name, payload, key, runAt, priority, correlationId: correlation.getStore() }], maxAttempts);
}

/** One of many jobs that are added at once, each with a key of its own. */
export type KeyedJob = {
  [Name in JobName]: {
    name: Name;
    payload: Jobs[Name];
    key: string;
    /** As for one that is added alone. */
    runAt?: Date;
    /** Of the request that causes it. */
    correlationId: string | undefined;
  };
}[JobName];

/** Adds jobs, as `enqueue` does, in one statement. */
export async function enqueueAll(tx: Tx, jobs: readonly KeyedJob[]): Promise<void> {
  // In one order everywhere: of two transactions that write the same jobs one waits for the other, and never crosswise.
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
  // Of the request that causes the job: the job's log lines carry it.
  const bodies = jobs.map(({ payload, correlationId }) => JSON.stringify({ ...payload, correlationId }));
  const keys = jobs.map(({ key }) => key ?? null);
  const priorities = jobs.map(({ priority = 0 }) => priority);
  const runAts = jobs.map(({ runAt }) => runAt?.toISOString() ?? null);
  await tx.run(sql`
    select enqueue_jobs(${jobs.map(({ name }) => name)}::text[], ${bodies}::text[], ${keys}::text[],
      -- The queue goes by the database's clock, which may be ahead of ours or behind it.
      array(select now() + (run_at - ${tx.now}::timestamptz) from unnest(${runAts}::timestamptz[]) run_at),
      ${priorities}::smallint[], ${maxAttempts}::smallint)`);
}
