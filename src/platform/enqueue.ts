import type { JobName, Jobs } from '../catalog/jobs.ts';
import { correlation } from './correlation.ts';
import type { Tx } from './db.ts';
import { sql } from './sql.ts';

export type EnqueueOptions = {
  /** Repeats with the same key collapse into one waiting job. */
  key?: string;
  runAt?: Date;
  maxAttempts?: number;
  /** The request that caused the job; the job's log lines carry it. */
  correlationId?: string;
};

/** Adds a job in the caller's transaction: it runs if, and only if, that commits. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: Jobs[Name],
  options: EnqueueOptions = {},
): Promise<void> {
  const body = { ...payload, correlationId: options.correlationId ?? correlation.getStore() };
  await tx.run(sql`
    select graphile_worker.add_job(
      ${name}::text,
      payload => ${JSON.stringify(body)}::json,
      run_at => ${options.runAt ?? null}::timestamptz,
      max_attempts => ${options.maxAttempts ?? 25}::int,
      job_key => ${options.key ?? null}::text
    )`);
}
