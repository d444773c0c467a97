import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databasePlace } from '../../../test/harness/database-place.ts';
import { StartError } from '../lib/start-error.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { isPostmaster, postgresFolder } from './postgres-folder.ts';

/** The interval is short enough to observe initdb. */
const patience = { interval: 10 };
const log = { info: () => {}, warn: () => {} };
let scratch: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(databasePlace(), 'kontor-pg-'));
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await rm(scratch, { recursive: true, force: true });
});

describe('the data folder', () => {
  test('the first start creates a database, and a later start finds committed data', async () => {
    const dataDir = join(scratch, 'kept');
    const first = await start(dataDir);
    await query(first.url, 'create table kept (word text)');
    await query(first.url, `insert into kept values ('Grüße')`);
    const pid = await postmasterPid(dataDir);
    await first.stop();
    expect(await isPostmaster(pid, postgresFolder(dataDir))).toBe(false);

    const second = await start(dataDir);
    expect(await query(second.url, 'select word from kept')).toEqual([{ word: 'Grüße' }]);
    const settings = `
      select current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding,
        datlocprovider as provider
      from pg_database where datname = current_database()`;
    expect(await query(second.url, settings)).toEqual([{ zone: 'UTC', encoding: 'UTF8', provider: 'b' }]);
    await second.stop();
    await second.stop();
  });

  test('its path may contain spaces, quotes, commas and umlauts', async () => {
    const postgres = await start(join(scratch, `Ä "b", 100 %`));
    expect(await query(postgres.url, 'select inet_server_port() as port')).toEqual([{ port: null }]);
    await postgres.stop();
  });

  test('a path too long for a socket leads to TCP, with a password', async () => {
    const dataDir = join(scratch, 'long'.repeat(30));
    const postgres = await start(dataDir);
    expect(new URL(postgres.url).hostname).toBe('127.0.0.1');
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const url = new URL(postgres.url);
    url.password = 'guessed';
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
    await postgres.stop();
  });

  test('a large server log is rotated', async () => {
    const dataDir = join(scratch, 'kept');
    await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(6 * 1024 * 1024, 'x\n'));
    const postgres = await start(dataDir);
    await postgres.stop();
    expect((await readFile(join(dataDir, 'postgres.log'))).length).toBeLessThan(10_000);
    expect(await readdir(dataDir)).toContain('postgres.log.1');
  });
});

describe('one owner', () => {
  test('a second instance is refused, and the first continues', async () => {
    const dataDir = join(scratch, 'kept');
    const first = await start(dataDir);
    const second = await startInChild(dataDir);
    expect(second.answer).toEqual({ fault: expect.stringContaining(`Another Kontor uses the data folder ${dataDir}`) });
    await expect(start(dataDir)).rejects.toThrow(StartError);
    expect(await query(first.url, 'select word from kept')).toHaveLength(1);
    await first.stop();
  });

  test('the lock in the database alone also refuses a second instance', async () => {
    const dataDir = join(scratch, 'kept');
    const first = await start(dataDir);
    // Simulates a file system without locks: the second instance finds the lock file free.
    await rm(join(dataDir, 'postgres.lock'));
    await expect(start(dataDir)).rejects.toThrow('Another Kontor uses the data folder');
    expect(await query(first.url, 'select word from kept')).toHaveLength(1);
    await first.stop();
  });

  test('exactly one of two processes that start at once on a new folder wins', async () => {
    const dataDir = join(scratch, 'raced');
    const racers = await Promise.all([startInChild(dataDir), startInChild(dataDir)]);
    const [winner, ...others] = racers.filter(({ answer }) => answer.url !== undefined);
    expect(others).toEqual([]);
    expect(racers.map(({ answer }) => answer.fault).filter(Boolean)).toEqual([
      expect.stringContaining('Another Kontor'),
    ]);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.lock', 'postgres.log']);
    expect(await query(winner?.answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
    await winner?.end('SIGTERM');
  });

  test('a broken owner connection is reopened', async () => {
    const dataDir = join(scratch, 'kept');
    const postgres = await start(dataDir);
    const url = await superuserUrl(postgres, dataDir);
    const holder = `select pid from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()`;
    const [before] = await query<{ pid: number }>(url, holder);
    await query(url, `select pg_terminate_backend(${before?.pid}, 5000)`);
    await expect.poll(async () => (await query(url, holder)).length, patience).toBe(1);
    expect(await query(url, holder)).not.toEqual([before]);
    await postgres.stop();
  });
});

describe('after a kill', () => {
  test('a server whose parent was killed is adopted', async () => {
    const dataDir = join(scratch, 'kept');
    const killed = await startInChild(dataDir);
    const pid = await postmasterPid(dataDir);
    await killed.end('SIGKILL');
    const heir = await start(dataDir);
    expect(await postmasterPid(dataDir)).toBe(pid);
    expect(await query(heir.url, 'select word from kept')).toHaveLength(1);
    await heir.stop();
    expect(await isPostmaster(pid, postgresFolder(dataDir))).toBe(false);
  });

  test('an orphan with other settings is restarted instead of adopted', async () => {
    const dataDir = join(scratch, 'kept');
    const killed = await startInChild(dataDir);
    const pid = await postmasterPid(dataDir);
    await killed.end('SIGKILL');
    const heir = await startEmbeddedPostgres({ dataDir, log });
    expect(await postmasterPid(dataDir)).not.toBe(pid);
    expect(await query(heir.url, `select current_setting('fsync') as fsync`)).toEqual([{ fsync: 'on' }]);
    await heir.stop();
  });

  test('the next start recovers committed data after every process was killed', async () => {
    const dataDir = join(scratch, 'kept');
    const killed = await startInChild(dataDir, { fast: false });
    await query(killed.answer.url ?? '', `insert into kept values ('late')`);
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    await killed.end('SIGKILL');
    const heir = await start(dataDir);
    expect(await query(heir.url, 'select word from kept')).toEqual([{ word: 'Grüße' }, { word: 'late' }]);
    await heir.stop();
  });

  test('a stale pid file that names an unrelated process does not prevent a start', async () => {
    const dataDir = join(scratch, 'kept');
    const lines = [
      process.ppid,
      join(dataDir, 'postgres', 'data'),
      1,
      5432,
      join(dataDir, 'postgres'),
      '',
      '1 1',
      'ready',
      '',
    ];
    await writeFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), lines.join('\n'));
    const postgres = await start(dataDir);
    await postgres.stop();
    // A power cut leaves an empty file.
    await writeFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), '');
    const again = await start(dataDir);
    await again.stop();
  });

  test('an initdb that was killed half-way is repeated', async () => {
    const dataDir = join(scratch, 'interrupted');
    const child = spawnStart(dataDir);
    const drafts = async (): Promise<string[]> =>
      (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith('postgres.init-'));
    await expect
      .poll(
        async () => (await readdir(join(dataDir, (await drafts())[0] ?? 'none', 'data')).catch(() => [])).length,
        patience,
      )
      .toBeGreaterThan(5);
    await child.end('SIGKILL');
    expect(await drafts()).toHaveLength(1);

    const postgres = await start(dataDir);
    expect(await drafts()).toEqual([]);
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('the owner learns when the server dies', async () => {
    const dataDir = join(scratch, 'kept');
    const postgres = await start(dataDir);
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    expect((await postgres.exited).message).toMatch(/^PostgreSQL \(process \d+\) ended by itself: see /);
    await postgres.stop();
    const next = await start(dataDir);
    await next.stop();
  });
});

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, fast: true });
  cleanups.push(() => postgres.stop());
  return postgres;
}

type Answer = { url?: string; fault?: string };
type Child = { answer: Promise<Answer>; end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> };

/** Starts a service in a separate process group, so that the test can kill it with its children. */
function spawnStart(dataDir: string, { fast }: { fast: boolean } = { fast: true }): Child {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href)};
    const log = { info() {}, warn() {} };
    try {
      const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1], log, fast: ${fast} });
      process.once('SIGTERM', () => postgres.stop().then(() => process.exit()));
      process.stdout.write(JSON.stringify({ url: postgres.url }) + '\\n');
    } catch (error) {
      const fault = error.name === 'StartError' ? error.message : error.stack;
      process.stdout.write(JSON.stringify({ fault }) + '\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    // The server needs neither HOME nor LANG.
    env: {},
  });
  const ended = once(child, 'exit');
  const group = -(child.pid ?? 0);
  cleanups.push(() => child.exitCode === null && child.signalCode === null && process.kill(group, 'SIGKILL'));
  const answer = once(createInterface(child.stdout), 'line').then(([line]): Answer => JSON.parse(String(line)));
  // A child that is killed before it answers rejects this promise, and no test may await it.
  answer.catch(() => {});
  return {
    answer,
    end: async (signal) => {
      process.kill(signal === 'SIGKILL' ? group : -group, signal);
      await ended;
    },
  };
}

async function startInChild(
  dataDir: string,
  options?: { fast: boolean },
): Promise<Omit<Child, 'answer'> & { answer: Answer }> {
  const child = spawnStart(dataDir, options);
  return { answer: await child.answer, end: child.end };
}

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A killed server ends its sessions with an error.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function superuserUrl(postgres: EmbeddedPostgres, dataDir: string): Promise<string> {
  const url = new URL(postgres.url);
  url.username = 'postgres';
  url.password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
  url.pathname = '/postgres';
  return url.href;
}

async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}
