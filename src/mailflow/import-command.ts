import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { StartError } from '../lib/start-error.ts';
import { type FoundMail, readMails } from '../mail/mailbox-files.ts';
import { diskBlobs } from '../platform/blobs.ts';
import { openDatabaseBeside } from '../platform/borrowed-postgres.ts';
import type { Config } from '../platform/config.ts';
import { type Db, openDb, type Queryable } from '../platform/db.ts';
import { isDatabaseAway } from '../platform/faults.ts';
import { openLog } from '../platform/log.ts';
import { migrate } from '../platform/migrate.ts';
import { sql } from '../platform/sql.ts';
import { importMails } from './import.ts';
import { importDisplay } from './import-display.ts';

const usage = 'usage: npm run import -- --workspace <id or name> <path>…';

/** One connection takes mails in, one stores those that come next. */
const poolSize = 3;

/**
 * Imports .eml files, folders of them, mbox files and Maildirs into a workspace, beside the running service or without it.
 * Ctrl-C ends it after the batch under way; it may be started again at any time and imports nothing twice.
 * @returns the exit code: 0 when all was read, 130 when it was stopped
 * Throws a `StartError` for what the caller can mend.
 */
export async function importCommand(config: Config, parameters: string[]): Promise<number> {
  const { workspace, paths } = readParameters(parameters);
  for (const path of paths) await checkPath(path);
  const stopping = stopSignal();
  const log = openLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  await using house = new AsyncDisposableStack();
  const database = await openDatabaseBeside(config, log);
  house.defer(database.stop);
  if (!database.isBorrowed) await migrate(database.directUrl, log);
  const db = openDb({ url: database.url, clock: systemClock, poolSize, onIdleError: () => {} });
  house.defer(() => db.close());
  const workspaceId = await findWorkspace(db, workspace);
  const display = await importDisplay(process.stdout, () => bytesBelow(paths));
  const totals = await importInto(db, config, {
    source: { workspaceId, origin: 'import', via: 'import', mailboxId: null, receivedAt: systemClock.now() },
    mails: mailsOf(paths),
    signal: stopping,
    onProgress: display.show,
  });
  display.end(totals);
  if (!stopping.aborted) return 0;
  process.stdout.write('Stopped. Start it again with the same paths to go on.\n');
  return 130;
}

async function importInto(db: Db, { dataDir }: Config, options: Parameters<typeof importMails>[1]) {
  try {
    return await importMails({ db, blobs: diskBlobs(join(dataDir, 'blobs')) }, options);
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    throw new StartError('The database went away. Start the import again: it goes on where it was.', { cause: error });
  }
}

function readParameters(parameters: string[]): { workspace: string; paths: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: parameters,
      options: { workspace: { type: 'string', short: 'w' } },
      allowPositionals: true,
    });
    const workspace = values.workspace?.trim() ?? '';
    if (workspace !== '' && positionals.length > 0) return { workspace, paths: positionals };
  } catch (cause) {
    throw new StartError(`${(cause as Error).message}; ${usage}`, { cause });
  }
  throw new StartError(usage);
}

async function checkPath(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new StartError(
      isMissing ? `There is no file or folder ${path}.` : `${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function bytesBelow(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const found = await stat(path);
    if (!found.isDirectory()) bytes += found.size;
    else
      for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

async function* mailsOf(paths: readonly string[]): AsyncGenerator<FoundMail> {
  for (const path of paths) yield* readMails(path);
}

const listedMax = 5;

/** By its id, else by its name without case; a name that several have names none. */
async function findWorkspace(db: Queryable, named: string): Promise<string> {
  const found = await db.rows<{ id: string; name: string }>(sql`
    select id, name from workspaces
    where id = ${isUuid(named) ? named : null}::uuid or lower(name) = lower(${named})
    order by id
    limit ${listedMax + 1}`);
  const exact = found.find(({ id }) => id === named.toLowerCase());
  const [first, second] = found;
  if (exact !== undefined) return exact.id;
  if (first !== undefined && second === undefined) return first.id;
  if (first === undefined) throw new StartError(`There is no workspace ${named}: name one by its id or its name.`);
  const ids = found.slice(0, listedMax).map(({ id }) => id);
  throw new StartError(`Several workspaces are called ${named}: name one by its id (${ids.join(', ')}).`);
}

/** npm passes a terminal's Ctrl-C on, although the terminal sent it to the whole group: two signals for one wish. */
const repeatMs = 1_000;

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stopping.abort();
    } else if (performance.now() - firstAt > repeatMs) process.exit(130);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return stopping.signal;
}
