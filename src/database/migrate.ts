import { readdir, readFile } from 'node:fs/promises';
import { runMigrations as runQueueMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from '../platform/log.ts';

const directory = new URL('../../migrations/', import.meta.url);
/** The key of the session lock by which processes that start at once take turns. Any constant works. */
const migrationLock = 7_305_001;

export type Migration = { name: string; text: string };

/** The migrations of this release, in the order in which they run. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(name, directory), 'utf8') })));
}

/**
 * Migrates the schema and that of the job queue, each migration in its own transaction. Returns the names that ran.
 * @param upTo the last migration to run; all of this release if missing
 */
export async function migrate(url: string, log: Logger, upTo?: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'kontor migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const ran = await runPending(client, log, upTo);
    await runQueueMigrations({ connectionString: url });
    return ran;
  } finally {
    await client.end();
  }
}

async function runPending(client: pg.Client, log: Logger, upTo: string | undefined): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, ran_at timestamptz not null default now())',
  );
  const done = new Set((await client.query('select name from migrations')).rows.map((row) => String(row.name)));
  const pending = (await readMigrations()).filter(
    ({ name }) => !done.has(name) && (upTo === undefined || name <= upTo),
  );
  for (const { name, text } of pending) {
    await client.query('begin');
    try {
      await client.query(text);
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`migration ${name} failed`, { cause: error });
    }
    log.info({ migration: name }, 'migration ran');
  }
  return pending.map(({ name }) => name);
}
