import type { JobName, Jobs } from '../catalog/jobs.ts';
import { type Tx, together } from '../database/db.ts';
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
  /** A sweep adds the job again if it is lost. So its transaction need not commit in two phases. Default: false. */
  isSwept?: boolean;
};

const attemptsMaxDefault = 25;

/** Adds a job in the caller's transaction: the job runs if, and only if, the transaction commits. */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: Jobs[Name],
  { key, maxAttempts = attemptsMaxDefault, runAt, priority = 0, isSwept = false }: EnqueueOptions = {},
): Promise<void> {
  // The job's log lines carry the correlation id of the request that causes it, and its spans the same trace.
  const causes = { correlationId: correlation.getStore(), traceparent: currentTraceparent() };
  const added = sql`
    select enqueue_jobs(array[${name}::text], array[${JSON.stringify({ ...payload, ...causes })}::text],
      array[${key ?? null}::text],
      -- The queue uses the database's clock, which may differ from ours.
      array[now() + (${runAt ?? null}::timestamptz - ${tx.now}::timestamptz)],
      array[${priority}::smallint], ${maxAttempts}::smallint)`;
  await together([isSwept ? undefined : tx.run(commitInTwoPhases), tx.run(added)]);
}

/**
 * On Citus the job is on the coordinator, and the rows of its workspace are on another node. A write to a table that
 * Citus knows on the coordinator lets both commit in two phases. So a crash between the commits cannot lose the job.
 * The table is empty, so nobody waits for its rows.
 */
const commitInTwoPhases = sql`delete from commit_marks`;
