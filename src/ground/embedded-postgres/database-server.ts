import pg from 'pg';
import { StartError } from '../lib/start-error.ts';
import type { Logger } from '../platform/log.ts';
import type { Ending } from '../platform/stop.ts';
import type { Config } from '../settings/config.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

/** The running PostgreSQL that the settings name. */
export type DatabaseServer = {
  url: string;
  /** The address that bypasses a pooler, for connections that need their own session. */
  directUrl: string;
  /** Settles only when an embedded server ends without `stop`. */
  died: Promise<Ending>;
  stop(): Promise<void>;
};

const versionMin = 16;

/**
 * Starts the embedded PostgreSQL, or checks the server of `DATABASE_URL`.
 * Throws a `StartError` when the server is unavailable or too old.
 */
export async function openDatabaseServer({ database, dataDir }: Config, log: Logger): Promise<DatabaseServer> {
  if (database.kind === 'external') {
    await checkServer(database.directUrl);
    return { url: database.url, directUrl: database.directUrl, died: new Promise(() => {}), stop: async () => {} };
  }
  const { url, exited, stop } = await startEmbeddedPostgres({ dataDir, log });
  return { url, directUrl: url, died: exited.then(({ message }) => ({ reason: message, exitCode: 1 })), stop };
}

async function checkServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('show server_version_num');
    const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (version < versionMin) {
      throw new StartError(`DATABASE_URL names a PostgreSQL ${version}: Kontor needs ${versionMin} or later.`);
    }
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    // The driver's message names host, port, account or database, never the password.
    throw new StartError(`The PostgreSQL of DATABASE_URL cannot be used: ${faultOf(cause)}.`, { cause });
  } finally {
    await client.end().catch(() => {});
  }
}

/** Joins the messages: a host name with several addresses gives one error for each. */
function faultOf(cause: unknown): string {
  const faults = cause instanceof AggregateError ? cause.errors : [cause];
  return faults.map((fault) => (fault as Error).message).join(', ');
}
