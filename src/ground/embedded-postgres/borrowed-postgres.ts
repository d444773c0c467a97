import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { StartError } from '../lib/start-error.ts';
import type { Logger } from '../platform/log.ts';
import type { Config } from '../settings/config.ts';
import { type DatabaseServer, openDatabaseServer } from './database-server.ts';
import { applicationUrl, ownerLock } from './embedded-postgres.ts';
import { isPostmaster, postgresFolder, readPostmaster } from './postgres-folder.ts';

/**
 * The database for a command that may run beside the service: the database of `DATABASE_URL`, else that of the service
 * running on the data folder, else an embedded database, started for the command. `stop` ends only a server started
 * here. Throws a `StartError` without any such database.
 */
export async function openDatabaseBeside(
  config: Config,
  log: Logger,
): Promise<DatabaseServer & { isBorrowed: boolean }> {
  const url = config.database.kind === 'embedded' ? await findOwnedPostgres(config.dataDir) : undefined;
  if (url === undefined) return { ...(await openDatabaseServer(config, log)), isBorrowed: false };
  return { url, directUrl: url, died: new Promise(() => {}), stop: async () => {}, isBorrowed: true };
}

/**
 * As `openDatabaseBeside`, for commands that need what the service has stored. Throws a `StartError` where no service
 * has run, and makes nothing there.
 */
export async function openDatabaseOfService(
  config: Config,
  log: Logger,
): Promise<DatabaseServer & { isBorrowed: boolean }> {
  const { dataDir, database } = config;
  if (database.kind === 'embedded' && !(await hasDatabase(dataDir)))
    throw new StartError(
      `There is no database of Kontor in ${dataDir}: set DATA_DIR to the data folder of the service.`,
    );
  const opened = await openDatabaseBeside(config, log);
  if (await hasTables(opened.directUrl)) return opened;
  await opened.stop();
  const name = database.kind === 'embedded' ? `The database in ${dataDir}` : 'The database of DATABASE_URL';
  throw new StartError(`${name} has no tables of Kontor: no service has run on it.`);
}

async function hasDatabase(dataDir: string): Promise<boolean> {
  const version = await readFile(join(postgresFolder(resolve(dataDir)).data, 'PG_VERSION')).catch(
    ({ code }: NodeJS.ErrnoException) => code,
  );
  // Of other faults, the start of the server tells the reason.
  return version !== 'ENOENT' && version !== 'ENOTDIR';
}

async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(`select where to_regclass('migrations') is not null`);
    return rows.length > 0;
  } finally {
    await client.end();
  }
}

/**
 * The address of the folder's server if a running Kontor owns it. Undefined when no server runs, or when the server is
 * an orphan, which `openDatabaseServer` adopts.
 */
async function findOwnedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = postgresFolder(resolve(dataDir));
  const postmaster = await readPostmaster(folder);
  if (postmaster?.status !== 'ready') return undefined;
  const { pid, port, isOnSocket } = postmaster;
  // A port may belong to another program by now. A socket cannot, and works where its server's process is invisible: in
  // another container that shares the folder.
  if (!isOnSocket && !(await isPostmaster(pid, folder))) return undefined;
  const password = await readFile(folder.password, 'utf8').catch(() => undefined);
  if (password === undefined) return undefined;
  const host = isOnSocket ? folder.root : '127.0.0.1';
  const url = applicationUrl({ pid, port, host, isAlive: async () => true }, password);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      `select from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and granted`,
      [ownerLock],
    );
    return rows.length > 0 ? url : undefined;
  } catch {
    // The caller then starts a server, whose error explains the fault.
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}
