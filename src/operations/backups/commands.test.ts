import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, useHouse } from '../../../test/harness/harness.ts';
import { freePort, runService, temporaryFolder } from '../../../test/harness/service-process.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { backupFolder, listPoints, openPoint } from './backup-folder.ts';
import { verifyPoint } from './verify-backup.ts';

const house = useHouse();
const place = await temporaryFolder();
const target = await cloneDatabase({ isDistributed: false });
afterAll(async () => {
  await target.drop();
  await place.remove();
});
const store = join(place.path, 'store');
const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };

beforeAll(async () => {
  await makeOwner(house);
});

async function run(args: string[], settings: Record<string, string> = {}) {
  const command = runService(
    { DATA_DIR: house.dataDir, DATABASE_URL: house.databaseUrl, LOG_LEVEL: 'warn', ...secrets, ...settings },
    ['src/main.ts', ...args],
  );
  const { code } = await command.exited;
  return { code, output: command.output() };
}

const copy = () => ({ DATA_DIR: join(place.path, 'copy'), DATABASE_URL: target.url });

/** How many tables an unfinished point has that none of these began; 0 before it begins. */
async function tablesOfOther(begun: ReadonlySet<string>): Promise<number> {
  const names = await readdir(join(store, 'points'), { recursive: true }).catch(() => []);
  return names.filter((name) => /\.unfinished.tables./.test(name) && !begun.has(name.split('/')[0] ?? '')).length;
}

test('a backup that is killed leaves no damaged point', async () => {
  const begun = new Set<string>();
  const signals: (string | null)[] = [];
  for (const tables of [1, 10, 30]) {
    const command = runService(
      { DATA_DIR: house.dataDir, DATABASE_URL: house.databaseUrl, LOG_LEVEL: 'warn', ...secrets },
      ['src/main.ts', 'backup', store],
    );
    while ((await tablesOfOther(begun)) < tables && command.process.exitCode === null);
    command.process.kill('SIGKILL');
    signals.push((await command.exited).signal);
    for (const name of await readdir(join(store, 'points'))) begun.add(name);
    const folder = backupFolder(store);
    for (const name of await listPoints(folder))
      expect((await verifyPoint(folder, await openPoint(folder, name))).faults).toEqual([]);
  }
  // A quick backup may have ended before its kill.
  expect(signals).toContain('SIGKILL');
});

test('a backup becomes a copy on hold, which goes live on command', async () => {
  const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' };
  const backup = await run(['backup', store, '--keep', '1'], passphrase);
  expect(backup).toMatchObject({ code: 0, output: expect.stringMatching(/: \d+ tables with \d+ rows, 0 new files/) });
  expect(await listPoints(backupFolder(store))).toHaveLength(1);
  const { manifest } = await openPoint(backupFolder(store));
  const { rows } = await house.app.db.pool.query('select taken_at from backups order by taken_at desc limit 1');
  expect(rows).toEqual([{ taken_at: manifest.takenAt }]);
  const refused = await run(['restore', store], { ...copy(), BACKUP_PASSPHRASE: 'another passphrase' });
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('does not open the secrets') });
  const restored = await run(['restore', store], { ...copy(), ...passphrase });
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('The copy is on hold') });

  const port = String(await freePort());
  const service = runService({ ...copy(), ...secrets, PORT: port, LOG_LEVEL: 'info' });
  await service.seen(/on hold: it neither reads nor sends mail/);
  await service.seen(/Kontor listens at/);
  service.process.kill('SIGTERM');
  await service.exited;
  expect(service.output()).not.toContain('jobs');
  const worker = await run(['worker'], copy());
  expect(worker).toMatchObject({ code: 1, output: expect.stringContaining('run `go-live` before its jobs') });
  const held = await run(['backup', store, '--keep', '1'], copy());
  expect(held).toMatchObject({ code: 1, output: expect.stringMatching(/^This is the copy of .*`go-live` first/) });
  expect(await run(['go-live'], copy())).toMatchObject({ code: 0 });
  expect(await run(['go-live'], copy())).toMatchObject({
    code: 1,
    output: expect.stringContaining('Nothing is on hold'),
  });
  // The original may still back up to the folder.
  const ofCopy = await run(['backup', store, '--keep', '1'], copy());
  expect(ofCopy).toMatchObject({ code: 1, output: expect.stringContaining('has backups of another installation') });
  expect(await listPoints(backupFolder(store))).toEqual([manifest.takenAt.replaceAll(':', '-').replace('Z', '')]);
});

test('a restore over a database in use brings no file', async () => {
  const dataDir = join(place.path, 'over-used');
  const { code, output } = await run(['restore', store], { DATA_DIR: dataDir });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('has accounts or workspaces already') });
  expect(await readdir(dataDir).catch(() => [])).not.toContain('blobs');
});

test.each([
  ['a folder without backups', ['verify', join(place.path, 'nothing')], 'has no backup'],
  ['a backup that does not exist', ['verify', store, '--point', '../../x'], 'There is no backup ../../x'],
])('%s is refused in a sentence', async (_name, args, sentence) => {
  const { code, output } = await run(args);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(sentence) });
  expect(output).not.toContain('    at ');
});

test('the secrets of an embedded service are put where its start looks for them', async () => {
  const dataDir = join(place.path, 'embedded');
  const settings = { DATA_DIR: dataDir, DATABASE_URL: '', AUTH_SECRET: '', ENCRYPTION_KEY: '' };
  const { code, output } = await run(['restore', store], { ...settings, BACKUP_PASSPHRASE: 'correct horse battery' });
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(await readFile(join(dataDir, 'auth-secret'), 'utf8')).toBe(secrets.AUTH_SECRET);
  expect(await readFile(join(dataDir, 'encryption-key'), 'utf8')).toBe(secrets.ENCRYPTION_KEY);
});
