import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { zstdCompressSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, useHouse } from '../../../test/harness/harness.ts';
import { temporaryFolder } from '../../../test/harness/service-process.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { diskBlobs } from '../../ground/blobs/disk-blobs.ts';
import { migrate } from '../../ground/database/migrate.ts';
import { backupFolder, listPoints, openPoint, type Point } from './backup-folder.ts';
import { bucketPoints } from './bucket-points.ts';
import type { Manifest } from './manifest.ts';
import { writeSmallPart } from './parts.ts';
import { requireRestorable, restoreBlobs } from './restore-backup.ts';
import { verifyPoint } from './verify-backup.ts';
import { forgetOldPoints, writeBackup } from './write-backup.ts';

const house = useHouse();
const place = await temporaryFolder();
afterAll(place.remove);
const folder = backupFolder(join(place.path, 'store'));
let owner: Person;
let point: Point;

const write = () =>
  writeBackup(folder, { databaseUrl: house.databaseUrl, blobs: house.app.blobs, sealedSecrets: undefined });

beforeAll(async () => {
  owner = await makeOwner(house);
  await uploadApart(house, owner, { content: 'the bytes of a file' });
  await write();
  point = await openPoint(folder);
});

async function withManifest(change: (manifest: any) => void): Promise<void> {
  const manifest = structuredClone(point.manifest);
  change(manifest);
  await writeFile(join(point.path, 'manifest.json'), JSON.stringify(manifest));
}
const mend = () => withManifest(() => {});

test.each<[string, (manifest: any) => void]>([
  ['a table elsewhere on the disk', ({ tables }) => (tables[0].part.file = 'tables/../../../../../etc/hostname')],
  ['secrets elsewhere', (manifest) => (manifest.secrets = { file: '/dev/zero', bytes: 1, sha256: 'a'.repeat(64) })],
  ['a list of files elsewhere', ({ blobs }) => (blobs.part.file = '../blobs.zst')],
  ['a table of PostgreSQL itself', ({ tables }) => (tables[0].schema = 'pg_catalog')],
  ['a column with a quote', ({ tables }) => (tables[0].columns[0] = 'id") from program (')],
  ['a size below zero', ({ tables }) => (tables[0].part.bytes = -1)],
  ['a sequence with words', ({ sequences }) => sequences.push({ schema: 'public', name: 'x', lastValue: 'now()' })],
  ['no tables', (manifest) => (manifest.tables = [])],
  ['a time that is none', (manifest) => (manifest.takenAt = 'yesterday')],
])('a manifest that names %s is refused', async (_name, change) => {
  await withManifest(change);
  await expect(openPoint(folder)).rejects.toThrow('missing, damaged, or of a later release');
  await mend();
});

test('links to files without an end are not read', async () => {
  const table = join(point.path, 'tables/public.users.zst');
  const bytes = await readFile(table);
  await rm(table);
  await symlink('/dev/zero', table);
  expect((await verifyPoint(folder, point)).faults).toEqual(['tables/public.users.zst is no plain file']);
  await rm(table);
  await writeFile(table, bytes);
  const manifest = join(point.path, 'manifest.json');
  await rm(manifest);
  await symlink('/dev/zero', manifest);
  await expect(openPoint(folder)).rejects.toThrow('missing, damaged, or of a later release');
  await rm(manifest);
  await mend();
});

test('a list of files cannot lead out of the storage', async () => {
  const sha256 = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
  await mkdir(join(place.path, 'b9'));
  await writeFile(join(place.path, 'b9', sha256), 'hello world');
  const listed = [`../../x\t${sha256}`, `${owner.workspaceId}\t../../../../etc/passwd`];
  await mkdir(join(point.path, 'forged'));
  for (const line of listed) {
    const forged = await writeSmallPart(
      join(point.path, 'forged'),
      'blobs.zst',
      zstdCompressSync(Buffer.from(`${line}\n`)),
    );
    const manifest: Manifest = { ...point.manifest, blobs: { count: 1, missing: [], part: forged } };
    const forgedPoint = { ...point, path: join(point.path, 'forged'), manifest };
    const target = diskBlobs(join(place.path, 'deep/er/target'));
    await expect(restoreBlobs(folder, forgedPoint, target)).rejects.toThrow("which is none of Kontor's");
  }
  await rm(join(point.path, 'forged'), { recursive: true });
});

test('other folders beside the backups are neither backups nor in their place', async () => {
  await mkdir(join(folder.points, 'lost+found'));
  await writeFile(join(folder.points, 'notes.txt'), 'of the operator');
  const { name, installation } = await write();
  expect(await forgetOldPoints(folder, 1, installation)).toEqual({ forgotten: 1, others: 0 });
  expect(await listPoints(folder)).toEqual([name]);
  point = await openPoint(folder);
  expect((await verifyPoint(folder, point)).faults).toEqual([]);
});

test('while a backup that would stay is damaged, no other is removed', async () => {
  const { name, installation } = await write();
  await writeFile(join(folder.points, name, 'manifest.json'), '{');
  await expect(forgetOldPoints(folder, 1, installation)).rejects.toThrow('missing, damaged, or of a later release');
  expect(await listPoints(folder)).toEqual([point.name, name]);
  await rm(join(folder.points, name), { recursive: true });
});

test('keys of a bucket cannot lead out of the folder', async () => {
  const at = '2026-01-01T00-00-00.000';
  const keys = [
    'manifest.json',
    'blobs.zst',
    'tables/public.users.zst',
    '../../../escaped',
    'tables/../../x',
    '/etc/x',
  ];
  const listed = [...keys.map((key) => `points/${at}/${key}`), 'points/../manifest.json', 'points/mine/manifest.json'];
  const removed: string[] = [];
  const points = bucketPoints(
    {
      async *list(below) {
        for (const key of listed) if (key.startsWith(below)) yield { key, modifiedAt: new Date() };
      },
      put: async () => {},
      upload: async () => {},
      download: (key, path) => writeFile(path, Readable.from([key])),
      remove: async (key) => void removed.push(key),
      close: async () => {},
    },
    's3://hostile',
  );
  expect(await points.list()).toEqual([at]);
  const path = join(place.path, 'fetched', at);
  await points.fetch(at, path);
  const names = await readdir(place.path, { recursive: true });
  expect(names.filter((name) => name.startsWith('fetched/') && /\.(json|zst)$|escaped/.test(name)).sort()).toEqual(
    ['blobs.zst', 'manifest.json', 'tables/public.users.zst'].map((name) => `fetched/${at}/${name}`),
  );
  await points.removeUnfinished();
  expect(removed).toEqual([]);
});

test('a database in use, or newer than the backup, is refused before anything changes', async () => {
  await expect(requireRestorable(point, house.databaseUrl)).rejects.toThrow('has accounts or workspaces already');
  const { url, drop } = await cloneDatabase({ isDistributed: false });
  await migrate(url, house.app.log);
  const { migrations } = point.manifest;
  const older = { ...point, manifest: { ...point.manifest, migrations: migrations.slice(0, -1) } };
  await expect(requireRestorable(older, url)).rejects.toThrow(`has the migration ${migrations.at(-1)}`);
  await requireRestorable(point, url);
  await drop();
});

test('a backup from before the baseline is refused unless its database had all migrations of that time', async () => {
  const { url, drop } = await cloneDatabase({ isDistributed: false });
  const names = await readFile(new URL('../../../test/walks/before-baseline/migrations.txt', import.meta.url), 'utf8');
  const migrations = names.trimEnd().split('\n');
  const of = (ran: string[]) => ({ ...point, manifest: { ...point.manifest, migrations: ran } });
  const older = of(migrations.slice(0, -1));
  await expect(requireRestorable(older, url)).rejects.toThrow(/^The backup is of a time .* commit [0-9a-f]{40}/);
  // Like each backup that lacks a migration of this release, it goes only into an empty database.
  await expect(requireRestorable(of(migrations), url)).rejects.toThrow('has the migration 09');
  const empty = new pg.Client({ connectionString: url });
  await empty.connect();
  await empty.query('delete from migrations');
  await empty.end();
  await requireRestorable(of(migrations), url);
  await drop();
});
