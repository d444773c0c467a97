import pg from 'pg';
import { inject } from 'vitest';
import { databaseUrl } from './global-setup.ts';

/** Finds the statements of a database that wait for a lock now. On a cluster they wait at the node of their rows. */
export async function findLockWaits(url: string): Promise<string[]> {
  const database = new URL(url).pathname.slice(1);
  const found = await Promise.all(inject('nodeUrls').map((nodeUrl) => findAt(databaseUrl(nodeUrl, database))));
  return found.flat();
}

async function findAt(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ query: string }>(
      `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.map(({ query }) => query);
  } finally {
    await client.end();
  }
}
