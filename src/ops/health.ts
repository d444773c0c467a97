import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../platform/db.ts';
import { readMigrations } from '../platform/migrate.ts';
import type { Processes } from '../platform/process-messages.ts';
import type { Queue } from '../platform/queue.ts';
import { sql } from '../platform/sql.ts';

export type FailedCheck = 'database' | 'migrations' | 'queue' | 'jobs' | 'processes';

const answerMillisecondsMax = 2_000;

/**
 * What keeps this process from doing its work: `database` does not answer, `migrations` of this release are missing, the job
 * `queue`'s tables are missing, or this process's own `jobs` are not worked off. Empty when it is ready.
 */
export async function failedChecks(db: Queryable, queue: Queue | undefined): Promise<FailedCheck[]> {
  const failed = await Promise.race([
    checkSchema(db),
    sleep(answerMillisecondsMax, ['database'] as FailedCheck[], { ref: false }),
  ]);
  return queue === undefined || queue.isRunning() ? failed : [...failed, 'jobs'];
}

const question = 'failed checks';

/** Lets the other processes tell what fails here. */
export function shareFailedChecks(processes: Processes, failedHere: () => Promise<FailedCheck[]>): void {
  processes.answer(question, failedHere);
}

/** What keeps any of the processes from its work; `processes`: one of them does not answer. */
export async function failedChecksOfAll(processes: Processes): Promise<FailedCheck[]> {
  const answers = (await processes.ask(question)) as (FailedCheck[] | undefined)[];
  return [...new Set(answers.flatMap((failed) => failed ?? ['processes' as const]))];
}

async function checkSchema(db: Queryable): Promise<FailedCheck[]> {
  try {
    const there = await db.one<{ hasMigrations: boolean; hasQueue: boolean }>(sql`
      select to_regclass('migrations') is not null as "hasMigrations",
        to_regclass('graphile_worker._private_jobs') is not null as "hasQueue"`);
    const ran = there.hasMigrations
      ? await db.rows<{ name: string }>(sql`select name from migrations order by name limit 10000`)
      : [];
    const done = new Set(ran.map(({ name }) => name));
    const isMigrated = (await readMigrations()).every(({ name }) => done.has(name));
    return [...(isMigrated ? [] : (['migrations'] as const)), ...(there.hasQueue ? [] : (['queue'] as const))];
  } catch {
    return ['database'];
  }
}
