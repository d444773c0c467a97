import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
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
 * The address of the folder's server if a running Kontor owns it. Undefined when no server runs, or when the server is
 * an orphan, which `openDatabaseServer` adopts.
 */
async function findOwnedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = postgresFolder(resolve(dataDir));
  const postmaster = await readPostmaster(folder);
  if (postmaster?.status !== 'ready' || !(await isPostmaster(postmaster.pid, folder))) return undefined;
  const { pid, port, isOnSocket } = postmaster;
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
