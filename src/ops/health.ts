import { access, constants, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../database/db.ts';
import { readMigrations } from '../database/migrate.ts';
import { sql } from '../database/sql.ts';
import type { Processes } from '../processes/process-messages.ts';
import type { Queue } from '../queue/queue.ts';
import type { Config } from '../settings/config.ts';

export type FailedCheck = 'database' | 'disk' | 'migrations' | 'queue' | 'jobs' | 'processes';

const answerMillisecondsMax = 2_000;

/** With less, PostgreSQL and uploads fail. */
const freeBytesMinDefault = 1024 * 1024;

/**
 * What keeps this process from doing its work: `database` does not answer, `migrations` of this release are missing, the job
 * `queue`'s tables are missing, the `disk` is full or read-only, or this process no longer runs its `jobs`. Empty when it is ready.
 */
export async function failedChecks(
  { db, config }: { db: Queryable; config: Pick<Config, 'database' | 'dataDir' | 'storage'> },
  queue: Queue | undefined,
  freeBytesMin = freeBytesMinDefault,
): Promise<FailedCheck[]> {
  const [schema, disk] = await Promise.all([
    inTime(checkSchema(db), 'database'),
    inTime(checkDisk(config, freeBytesMin), 'disk'),
  ]);
  return [...schema, ...disk, ...(queue === undefined || queue.isRunning() ? [] : (['jobs'] as const))];
}

function inTime(checked: Promise<FailedCheck[]>, failed: FailedCheck): Promise<FailedCheck[]> {
  return Promise.race([checked, sleep(answerMillisecondsMax, [failed], { ref: false })]);
}

/** Checks the folders of the embedded database and of files. */
async function checkDisk(
  { database, dataDir, storage }: Pick<Config, 'database' | 'dataDir' | 'storage'>,
  freeBytesMin: number,
): Promise<FailedCheck[]> {
  const folders = [
    ...(database.kind === 'embedded' ? [dataDir] : []),
    ...(storage.kind === 'disk' ? [storage.root] : []),
  ];
  const healthy = await Promise.all(folders.map((folder) => isFolderHealthy(folder, freeBytesMin)));
  return healthy.every(Boolean) ? [] : ['disk'];
}

async function isFolderHealthy(folder: string, freeBytesMin: number): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize, blocks } = await statfs(folder);
    // Some network file systems report no sizes.
    return blocks === 0 || bavail * bsize >= freeBytesMin;
  } catch (error) {
    // The first upload makes the folder of files.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
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
