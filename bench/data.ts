import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/ground/database/migrate.ts';
import { startEmbeddedPostgres } from '../src/ground/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../src/ground/platform/log.ts';
import { dropDatabase } from '../test/harness/drop-database.ts';
import { fill, tablesOf } from './fill.ts';
import { tell } from './report.ts';
import { type Size, worldOf } from './world.ts';

export type DataOptions = {
  size: Size;
  /** Deleted after the run. */
  folder: string;
  /** Keeps the data for further runs, if set. */
  keptFolder: string | undefined;
};

/** @param fillSeconds the time to make the data; null if it was there */
export type Data = { url: string; fillSeconds: number | null };

/**
 * Starts a database server with the world's data, until the house closes. Kept data is made once and never changed:
 * each run uses a copy.
 */
export async function openData(house: AsyncDisposableStack, { size, folder, keptFolder }: DataOptions): Promise<Data> {
  const log = openLog('warn');
  const { url, stop } = await startEmbeddedPostgres({ dataDir: keptFolder ?? folder, log });
  house.defer(stop);
  const notePath = join(resolve(keptFolder ?? folder), 'bench.json');
  const wanted = { size, rows: hashOfRows() };
  const note = await readNote(notePath);
  if (note !== undefined && (note.size !== wanted.size || note.rows !== wanted.rows))
    throw new Error(`--data: ${keptFolder} holds data of another size, or of another release: remove it`);
  if (note === undefined && (await hasTables(url)))
    throw new Error(`--data: ${keptFolder} holds data that was not finished: remove it`);
  await migrate(url, log);
  const fillSeconds = note === undefined ? await fillNow(url, size) : null;
  if (note === undefined) await writeFile(notePath, JSON.stringify(wanted));
  return { url: keptFolder === undefined ? url : await copyOf(url, house), fillSeconds };
}

async function fillNow(url: string, size: Size): Promise<number> {
  const startedAt = performance.now();
  const seconds = (): number => Math.round(performance.now() - startedAt) / 1_000;
  await fill(url, worldOf(size), (done) => tell(`made ${done}, ${seconds().toFixed(1)} s`));
  return seconds();
}

type Note = { size: Size; rows: string };

async function readNote(path: string): Promise<Note | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  // Written by this file.
  return text === undefined ? undefined : (JSON.parse(text) as Note);
}

const sampleTickets = 200;

/** Hashes sample rows of a small world, so that the hash changes with the code that writes them. */
function hashOfRows(): string {
  const hash = createHash('sha256');
  for (const { table, columns, rows } of tablesOf({ ...worldOf('small'), ticketCount: sampleTickets })) {
    hash.update(`${table} ${columns}\n`);
    for (const row of rows) hash.update(JSON.stringify(row));
  }
  return hash.digest('hex').slice(0, 16);
}

async function hasTables(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`select from pg_class where relname = 'tickets'`);
    return rows.length > 0;
  });
}

const copyName = 'kontor_bench';

/** Copies the database's files, which takes some seconds for ten gigabytes. The house drops the copy. */
async function copyOf(url: string, house: AsyncDisposableStack): Promise<string> {
  const original = new URL(url).pathname.slice(1);
  const copy = new URL(url);
  copy.pathname = `/${copyName}`;
  const beside = new URL(url);
  beside.pathname = '/postgres';
  // A killed run leaves its copy behind.
  const drop = (): Promise<void> => withClient(beside.href, (client) => dropDatabase(client, copyName));
  await drop();
  house.defer(drop);
  const startedAt = performance.now();
  await withClient(beside.href, (client) =>
    client.query(`create database ${copyName} template ${client.escapeIdentifier(original)} strategy file_copy`),
  );
  tell(`copied the data, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return copy.href;
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
