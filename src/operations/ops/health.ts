import { access, constants, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../ground/database/db.ts';
import { readMigrations } from '../../ground/database/migrate.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Processes } from '../../ground/processes/process-messages.ts';
import type { Queue } from '../../ground/queue/queue.ts';
import type { Config } from '../../ground/settings/config.ts';

export type FailedCheck = 'database' | 'disk' | 'migrations' | 'queue' | 'jobs' | 'processes';

const answerMillisecondsMax = 2_000;

/** PostgreSQL and uploads fail with less. */
const freeBytesMinDefault = 1024 * 1024;

/**
 * What prevents this process from working. `database`: it does not answer. `migrations`: some of this release are
 * missing. `queue`: its tables are missing. `disk`: it is full or read-only. `jobs`: this process no longer runs them.
 * Empty when the process is ready.
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
    // The folder for files may be missing until the first upload.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

const question = 'failed checks';

/** Lets the other processes report what fails in this process. */
export function shareFailedChecks(processes: Processes, failedHere: () => Promise<FailedCheck[]>): void {
  processes.answer(question, failedHere);
}

/** The failed checks of all processes. `processes` means that a process does not answer. */
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
