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
      max_attempts => ${options.maxAttempts ?? 25}::int,
      job_key => ${options.key ?? null}::text,
      -- The queue goes by the database's clock, which may be ahead of ours or behind it.
      run_at => now() + (${options.runAt ?? null}::timestamptz - ${tx.now}::timestamptz)
    )`);
}
