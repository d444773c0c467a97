import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase } from '../../../test/harness/harness.ts';
import { runService, type ServiceProcess, temporaryFolder } from '../../../test/harness/service-process.ts';
import { backupFolder, listPoints } from './backup-folder.ts';

const place = await temporaryFolder();
const at = (name: string) => join(place.path, name);
const store = at('store');
let service: ServiceProcess;
let origin: string;

beforeAll(async () => {
  service = runService({ DATA_DIR: at('served') });
  origin = (await service.seen(/Kontor listens at (http:[^;]+);/))[1] ?? '';
}, 120_000);
afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.exited;
  await place.remove();
});

async function run(args: string[], settings: Record<string, string> = {}) {
  const command = runService({ DATA_DIR: at('served'), LOG_LEVEL: 'warn', ...settings }, ['src/main.ts', ...args]);
  const { code } = await command.exited;
  return { code, output: command.output() };
}

// As another container sees a service whose data folder it shares.
const apart = ['--pid', '--fork', '--mount-proc'];
const canBeApart = spawnSync('unshare', [...apart, 'true']).status === 0;

test.skipIf(!canBeApart)('a backup finds a service whose processes it cannot see', () => {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [...apart, process.execPath, 'src/main.ts', 'backup', store, '--keep', '2'],
    { env: { PATH: process.env.PATH, DATA_DIR: at('served'), LOG_LEVEL: 'warn' }, encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/tables with \d+ rows/);
});

test('a backup of another data folder is refused, and removes nothing', async () => {
  expect(await run(['backup', store])).toMatchObject({ code: 0 });
  const points = await listPoints(backupFolder(store));
  const other = runService({ DATA_DIR: at('other') });
  await other.seen(/Kontor listens at/);
  const { code, output } = await run(['backup', store, '--keep', '1'], { DATA_DIR: at('other') });
  other.process.kill('SIGTERM');
  await other.exited;
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('has backups of another installation of Kontor'),
  });
  expect(await listPoints(backupFolder(store))).toEqual(points);
});

test.each([
  ['backup', ['backup', at('made-by-mistake')]],
  ['go-live', ['go-live']],
  ['export', ['export', '--workspace', 'Support', at('made-by-mistake')]],
  ['import of mail', ['import', '--workspace', 'Support', import.meta.filename]],
])('%s of a folder where no service has run is refused, and makes nothing', async (_name, args) => {
  const empty = at('empty');
  await mkdir(empty, { recursive: true });
  for (const dataDir of [at('nothing'), empty]) {
    const { code, output } = await run(args, { DATA_DIR: dataDir });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^There is no database of Kontor in /) });
  }
  expect(await readdir(empty)).toEqual([]);
  expect((await readdir(place.path)).filter((name) => name === 'nothing' || name === 'made-by-mistake')).toEqual([]);
});

test('go-live and backup of a database without tables are refused in a sentence', async () => {
  const database = await cloneDatabase({ isDistributed: false });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  await client.end();
  const settings = { DATABASE_URL: database.url, AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  for (const args of [['go-live'], ['backup', at('made-by-mistake')]]) {
    const { code, output } = await run(args, settings);
    const sentence = 'The database of DATABASE_URL has no tables of Kontor: no service has run on it.\n';
    expect({ code, output }).toEqual({ code: 1, output: sentence });
  }
  await database.drop();
});

test('a refused restore leaves nothing, and a restore prints the commands that go on with it', async () => {
  const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' };
  const sealed = at('sealed');
  const keys = `${'e'.repeat(32)},${'f'.repeat(32)}`;
  expect(await run(['backup', sealed], { ...passphrase, ENCRYPTION_KEY: keys })).toMatchObject({ code: 0 });
  const refusals: [string[], Record<string, string>, RegExp][] = [
    [[sealed], passphrase, /several encryption keys/],
    [[sealed], { BACKUP_PASSPHRASE: 'another passphrase' }, /does not open/],
    [[at('nothing')], {}, /has no backup/],
    [[store, '--point', '2020-01-01T00-00-00.000'], {}, /There is no backup/],
  ];
  for (const [args, settings, sentence] of refusals) {
    const { code, output } = await run(['restore', ...args], { DATA_DIR: at('refused'), ...settings });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(sentence) });
  }
  expect(await readdir(place.path)).not.toContain('refused');

  const { code, output } = await run(['restore', store], { DATA_DIR: at('copy of it') });
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain(`  DATA_DIR='${at('copy of it')}' node operate.js go-live\n`);
  expect(output).toContain(`  DATA_DIR='${at('copy of it')}' npm start\n`);
  expect(await run(['go-live'], { DATA_DIR: at('copy of it') })).toMatchObject({ code: 0 });
});

test('the service answered all the while', async () => {
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});
