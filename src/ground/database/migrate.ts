import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations as runQueueMigrations } from 'graphile-worker';
import pg from 'pg';
import { StartError } from '../lib/start-error.ts';
import type { Logger } from '../platform/log.ts';
import { sinceBaseline } from './baseline.ts';
import { isDistributionCut } from './kept-keys.ts';

const directory = new URL('../../../migrations/', import.meta.url);
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
 * Throws a `StartError` if a later release has migrated the database, because nobody has tested this release on its
 * tables, if only some of the migrations before the baseline ran, or if another program's objects stand in the way.
 * @param upTo the last migration to run; all of this release if missing
 */
export async function migrate(url: string, log: Logger, upTo?: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'kontor migrate' });
  await client.connect();
  try {
    await takeMigrationLock(client);
    if (await isDistributionCut(client))
      throw new StartError('The tables are half distributed: run `node operate.js distribute` until it ends.');
    const ran = await runPending(client, log, upTo);
    await runQueueMigrations({ connectionString: url });
    return ran;
  } finally {
    await client.end();
  }
}

/** Waits until no other process migrates or distributes this database. The lock ends with the session. */
export async function takeMigrationLock(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
}

function refuseLater(done: ReadonlySet<string>, known: readonly Migration[]): void {
  const names = new Set(known.map(({ name }) => name));
  const later = [...done].filter((name) => !names.has(name)).sort();
  if (later.length === 0) return;
  throw new StartError(
    `The database is of a later release of Kontor: it has the migration ${later.at(-1)}, ` +
      `and this release ends with ${known.at(-1)?.name}. Migrations cannot be taken back: ` +
      'start the later release again, or restore a backup from before the upgrade into an empty database.',
  );
}

async function runPending(client: pg.Client, log: Logger, upTo: string | undefined): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, ran_at timestamptz not null default now())',
  );
  const known = await readMigrations();
  const done = new Set(await adoptBaseline(client, known));
  refuseLater(done, known);
  const pending = known.filter(({ name }) => !done.has(name) && (upTo === undefined || name <= upTo));
  const startedAt = performance.now();
  for (const migration of pending) {
    await runOne(client, migration, log);
    log.debug({ migration: migration.name }, 'migration ran');
  }
  const last = pending.at(-1)?.name;
  const durationMs = Math.round(performance.now() - startedAt);
  if (last !== undefined) log.info({ count: pending.length, last, durationMs }, 'migrations ran');
  return pending.map(({ name }) => name);
}

/**
 * Counts the baseline as run where all the migrations before it did. Their names stay, because processes of the
 * previous release may run beside and look for them.
 * @returns the migrations that ran, with the baseline for those before it
 */
async function adoptBaseline(client: pg.Client, known: readonly Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations').catch((error: unknown) => {
    throw codeOf(error) === undefinedColumn ? ofOther(foreignTable) : error;
  });
  const ran = rows.map(({ name }) => name);
  if (ran.some((name) => !name.endsWith('.sql'))) throw ofOther(foreignTable);
  const done = sinceBaseline(
    ran,
    known.map(({ name }) => name),
    'The database',
  );
  // One statement, so that a killed process leaves either none of the names or all.
  await client.query('insert into migrations (name) select unnest($1::text[])', [
    done.filter((name) => !ran.includes(name)),
  ]);
  return done;
}

const foreignTable = 'it has a table "migrations", which is not that of Kontor';
const undefinedColumn = '42703';
/** SQLSTATE for an object, a function and a table or index that is there already. */
const duplicates = ['42710', '42723', '42P07'];

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

function ofOther(fault: string): StartError {
  return new StartError(`Another program uses this database: ${fault}. Give Kontor a database of its own.`);
}

const deadlock = '40P01';
const deadlocksMax = 20;
const deadlockPauseMs = 100;

/** Runs a migration again after a deadlock: processes of the previous release lock the same tables in other orders. */
async function runOne(client: pg.Client, { name, text }: Migration, log: Logger): Promise<void> {
  for (let deadlocks = 0; ; deadlocks++) {
    await client.query('begin');
    try {
      await client.query(text);
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      // A migration runs at most once, and makes only what no earlier one made.
      if (duplicates.includes(String(codeOf(error))))
        throw new StartError(
          `Migration ${name} found what it would make: ${(error as Error).message}. ` +
            'If another program uses this database, give Kontor a database of its own.',
        );
      if (codeOf(error) !== deadlock || deadlocks === deadlocksMax)
        throw new Error(`migration ${name} failed`, { cause: error });
      log.warn({ migration: name }, 'a migration met a deadlock with other processes, and runs again');
      await sleep(deadlockPauseMs * Math.random() * (deadlocks + 1));
    }
  }
}
