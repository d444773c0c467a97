import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { beforeEach, expect, inject, test } from 'vitest';
import { baselineEnd } from '../../src/ground/database/baseline.ts';
import { migrate, readMigrations } from '../../src/ground/database/migrate.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import { StartError } from '../../src/ground/lib/start-error.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { dropDatabase } from '../harness/drop-database.ts';
import { databaseUrl } from '../harness/global-setup.ts';
import { readSchema } from './read-schema.ts';

/** The names of the migrations before the baseline, and the schema that they made. */
const formerNames = await linesOf('migrations.txt');
const formerSchema = await linesOf('schema.txt');
const log = openLog('silent');
const known = (await readMigrations()).map(({ name }) => name);
const later = known.filter((name) => name > baselineEnd);

let url = '';
beforeEach(async () => {
  const [server, name] = [inject('serverUrl'), `t_${newId().replaceAll('-', '')}`];
  await on(server, (client) => client.query(`create database ${name} template template0`));
  url = databaseUrl(server, name);
  return () => on(server, (client) => dropDatabase(client, name));
});

test('the baseline makes the schema that the migrations before it made', async () => {
  await migrate(url, log, baselineEnd);
  expect(await on(url, readSchema)).toEqual(formerSchema);
});

test('a database that had all migrations before the baseline goes on with the next ones', async () => {
  await becomeFormer(formerNames);
  await on(url, (client) =>
    client.query(`insert into workspaces (id, name, created_at) values ($1, 'Kept', now())`, [newId()]),
  );
  expect(await migrate(url, log)).toEqual(later);
  expect(await on(url, (client) => client.query('select name from workspaces'))).toMatchObject({
    rows: [{ name: 'Kept' }],
  });
  // The former names stay for processes of the previous release, which still run and look for them.
  expect(await readNames()).toEqual([...formerNames, ...known].sort());
  expect(await migrate(url, log)).toEqual([]);
});

test('of two processes that start at once, one runs the migrations', async () => {
  await becomeFormer(formerNames);
  const ran = await Promise.all([migrate(url, log), migrate(url, log)]);
  expect(ran.toSorted((a, b) => a.length - b.length)).toEqual([[], later]);
  expect(await readNames()).toEqual([...formerNames, ...known].sort());
});

test.each([
  ['the last migration before the baseline', formerNames.slice(0, -1)],
  ['one between', formerNames.toSpliced(40, 1)],
  ['all but the first', formerNames.slice(0, 1)],
])('an older database is refused with the commit to pass through, and stays: it lacks %s', async (_, names) => {
  await becomeFormer(names);
  await on(url, (client) => client.query('alter table tickets drop column closed_at'));
  const before = await on(url, readSchema);
  await expect(migrate(url, log)).rejects.toThrow(
    /^The database is of a time .* through commit [0-9a-f]{40} of Kontor/,
  );
  expect(await on(url, readSchema)).toEqual(before);
  expect(await readNames()).toEqual(names);
});

test('each migration has a number of its own', () => {
  const numbers = known.map((name) => name.split('_')[0]);
  expect(numbers).toEqual([...new Set(numbers)]);
});

test('a new database whose first start was cut within the baseline goes on', async () => {
  const [first = '', ...rest] = known;
  await migrate(url, log, first);
  expect(await migrate(url, log)).toEqual(rest);
});

test.each([
  ['a table like one of ours', 'create table users (id int)', /relation "users" already exists\. If another/],
  ['migrations by number', 'create table migrations (id int, migration text)', /has a table "migrations"/],
  ['other migrations', `create table migrations as select 'CreateUsers1' as name`, /has a table "migrations"/],
])('a database of another program is refused with a sentence: it has %s', async (_, statement, sentence) => {
  await on(url, (client) => client.query(statement));
  const refused = await migrate(url, log).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect((refused as StartError).message).toMatch(/another program uses this database.* give Kontor a database/i);
  expect((refused as StartError).message).toMatch(sentence);
});

/** Makes the database one that migrations of these names made. */
async function becomeFormer(names: readonly string[]): Promise<void> {
  await migrate(url, log, baselineEnd);
  await on(url, async (client) => {
    await client.query('delete from migrations');
    await client.query('insert into migrations (name) select unnest($1::text[])', [names]);
  });
}

async function readNames(): Promise<string[]> {
  const { rows } = await on(url, (client) => client.query<{ name: string }>('select name from migrations'));
  return rows.map(({ name }) => name).sort();
}

async function on<Result>(address: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(new URL(`before-baseline/${file}`, import.meta.url), 'utf8')).trimEnd().split('\n');
}
