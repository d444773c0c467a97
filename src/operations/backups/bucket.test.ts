import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, useHouse } from '../../../test/harness/harness.ts';
import { runService, temporaryFolder } from '../../../test/harness/service-process.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { startS3 } from '../../../test/peers/s3-server.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { openBackups } from './backup-folder.ts';

const house = useHouse();
const place = await temporaryFolder();
const server = await startS3();
const target = await cloneDatabase({ isDistributed: false });
afterAll(async () => {
  await target.drop();
  await server.close();
  await place.remove();
});
const store = `s3://${server.bucket}/nightly/desk?endpoint=${server.endpoint}`;
const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
});

const start = (args: string[], settings: Record<string, string> = {}) =>
  runService(
    {
      DATA_DIR: house.dataDir,
      DATABASE_URL: house.databaseUrl,
      LOG_LEVEL: 'error',
      BACKUP_PASSPHRASE: 'correct horse battery',
      ...secrets,
      ...settings,
    },
    ['src/main.ts', ...args],
  );
async function run(args: string[], settings: Record<string, string> = {}) {
  const command = start(args, settings);
  const { code } = await command.exited;
  return { code, output: command.output() };
}
const upload = (content: string) => uploadApart(house, owner, { content });
const keys = async (below: string) => {
  const names = await readdir(join(server.folder, 'nightly/desk', below), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('_S3rver_object')).map((name) => name.replace('._S3rver_object', ''));
};
const points = async () => (await keys('points')).filter((key) => key.endsWith('manifest.json'));

test('a backup in a bucket is verified, restored, and shares its files with the next', async () => {
  const { id } = (await upload('the bytes of a file')).body;
  await owner.call('POST', '/tickets', { subject: 'A file', body: 'b', attachmentIds: [id] });
  const first = await run(['backup', store]);
  expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/, 1 new files, 0 files of earlier backups/) });
  const second = await run(['backup', store]);
  expect(second).toMatchObject({ code: 0, output: expect.stringMatching(/, 0 new files, 1 files of earlier backups/) });
  expect(await run(['verify', store])).toMatchObject({ code: 0, output: expect.stringContaining('are whole') });

  const copy = { DATA_DIR: join(place.path, 'copy'), DATABASE_URL: target.url };
  const restored = await run(['restore', store], copy);
  expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/rows and 1 files/) });
  const files = await readdir(join(place.path, 'copy/blobs', owner.workspaceId), { recursive: true });
  const [file = ''] = files.filter((name) => /[0-9a-f]{64}$/.test(name));
  expect(await readFile(join(place.path, 'copy/blobs', owner.workspaceId, file), 'utf8')).toBe('the bytes of a file');
});

test('older backups are removed with the files that no newer one needs', async () => {
  const stray = join(server.folder, 'nightly/desk/blobs/stray._S3rver_object');
  await writeFile(stray, 'of an unfinished backup');
  await writeFile(stray.replace('_object', '_metadata.json'), '{}');
  await writeFile(stray.replace('_object', '_object.md5'), '');
  const [before, files] = [await points(), await keys('blobs')];
  expect(files).toHaveLength(2);
  expect(await run(['backup', store, '--keep', '1'])).toMatchObject({ code: 0 });
  expect(await points()).toHaveLength(1);
  expect(before).not.toContain((await points())[0]);
  expect(await keys('blobs')).toEqual(files.filter((name) => name !== 'stray'));
  expect(await run(['verify', store])).toMatchObject({ code: 0 });
});

test('a backup that is killed leaves no point that counts, and the next removes what it left', async () => {
  const before = await points();
  const command = start(['backup', store]);
  // Killed as soon as it has begun to upload the point.
  while ((await keys('points')).length === before.length && command.process.exitCode === null) {
    const all = await keys('points');
    if (all.some((key) => !before.some((manifest) => key.startsWith(manifest.split('/')[0] ?? '?')))) break;
    await sleep(2);
  }
  command.process.kill('SIGKILL');
  await command.exited;
  for (const manifest of await points()) {
    const name = manifest.split('/')[0] ?? '';
    expect(await run(['verify', store, '--point', name])).toMatchObject({ code: 0 });
  }
  const refused = await run(['backup', store]);
  if (refused.code !== 0) expect(refused.output).toContain('Another backup writes into s3://kontor/nightly/desk.');
  await rm(join(server.folder, 'nightly/desk/locks'), { recursive: true, force: true });
  expect(await run(['backup', store])).toMatchObject({ code: 0 });
  const named = new Set((await points()).map((manifest) => manifest.split('/')[0]));
  expect(new Set((await keys('points')).map((key) => key.split('/')[0]))).toEqual(named);
  expect(await keys('locks')).toEqual([]);
});

test('of two backups at once, at most one writes', async () => {
  await using one = await openBackups(store, house.app.log);
  await using other = await openBackups(store, house.app.log);
  const release = await one.bucket?.lock();
  await expect(other.bucket?.lock()).rejects.toThrow('Another backup writes into s3://kontor/nightly/desk.');
  await release?.();
  await (await other.bucket?.lock())?.();
  const outcomes = await Promise.allSettled([one.bucket?.lock(), other.bucket?.lock()]);
  const held = outcomes.filter(({ status }) => status === 'fulfilled');
  expect(held.length).toBeLessThan(2);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value?.();
});

test('a damaged backup is refused before anything is touched', async () => {
  const folder = join(server.folder, 'nightly/desk/points');
  const [table = ''] = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith('public.users.zst._S3rver_object'),
  );
  const bytes = await readFile(join(folder, table));
  await writeFile(join(folder, table), bytes.subarray(1));
  const name = table.split('/')[0] ?? '';
  const { code, output } = await run(['restore', store, '--point', name], {
    DATA_DIR: join(place.path, 'untouched'),
    DATABASE_URL: '',
  });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('public.users.zst has') });
  expect(await readdir(join(place.path, 'untouched')).catch(() => [])).not.toContain('postgres');
  await writeFile(join(folder, table), bytes);
});

test.each([
  [
    'a bucket that does not exist',
    `s3://nosuchbucket/x?endpoint=${server.endpoint}`,
    'The bucket s3://nosuchbucket/x cannot be',
  ],
  ['a store that does not answer', 's3://kontor/x?endpoint=http://127.0.0.1:9', 'The bucket s3://kontor/x cannot be'],
  ['a bad name', 's3://K/x', 'not a bucket name'],
])('%s is refused in a sentence', async (_what, bad, sentence) => {
  for (const args of [
    ['backup', bad],
    ['verify', bad],
  ]) {
    const { code, output } = await run(args);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(sentence) });
    expect(output).not.toContain('    at ');
  }
});
