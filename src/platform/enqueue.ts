import type { JobName, Jobs } from '../catalog/jobs.ts';
import { correlation } from './correlation.ts';
import type { Tx } from './db.ts';
import { sql } from './sql.ts';

export type EnqueueOptions = {
  /** Repeats with the same key collapse into one waiting job. */
  key?: string;
  maxAttempts?: number;
  /** Not before, by the clock of `tx.now`; at once when left out. */
  runAt?: Date;
};

const attemptsMaxDefault = 25;

/** Adds a job in the caller's transaction: it runs if, and only if, that commits. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: Jobs[Name],
  options: EnqueueOptions = {},
): Promise<void> {
  // Of the request that causes the job: the job's log lines carry it.
  const body = { ...payload, correlationId: correlation.getStore() };
  await tx.run(sql`
    select graphile_worker.add_job(
      ${name}::text,
      payload => ${JSON.stringify(body)}::json,
      max_attempts => ${options.maxAttempts ?? attemptsMaxDefault}::int,
      job_key => ${options.key ?? null}::text,
      -- The queue goes by the database's clock, which may be ahead of ours or behind it.
      run_at => now() + (${options.runAt ?? null}::timestamptz - ${tx.now}::timestamptz)
    )`);
}

/** One of many jobs that are added at once, each with a key of its own. */
export type KeyedJob = {
  [Name in JobName]: {
    name: Name;
    payload: Jobs[Name];
    key: string;
    /** Of the request that causes it. */
    correlationId: string | undefined;
  };
}[JobName];

/** Adds jobs that run at once, as `enqueue` does, in one statement. */
export async function enqueueAll(tx: Tx, jobs: readonly KeyedJob[]): Promise<void> {
  // In one order everywhere: of two transactions that write the same jobs one waits for the other, and never crosswise.
  const sorted = jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const bodies = sorted.map(({ payload, correlationId }) => JSON.stringify({ ...payload, correlationId }));
  await tx.run(sql`
    select graphile_worker.add_jobs(array_agg(
      row(j.name, j.payload::json, null, null, ${attemptsMaxDefault}::smallint, j.key, null, null)::graphile_worker.job_spec))
    from unnest(${sorted.map(({ name }) => name)}::text[], ${bodies}::text[], ${sorted.map(({ key }) => key)}::text[])
      j (name, payload, key)`);
}
