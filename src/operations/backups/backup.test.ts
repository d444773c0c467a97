import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, useHouse } from '../../../test/harness/harness.ts';
import { temporaryFolder } from '../../../test/harness/service-process.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { deliveryDesk } from '../../../test/worlds/delivery-desk.ts';
import { givePassword, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { diskBlobs } from '../../ground/blobs/disk-blobs.ts';
import { openDump, quoted } from '../../ground/database/dump-tables.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { type BackupFolder, backupFolder, listPoints, openPoint } from './backup-folder.ts';
import { findHold, goLive } from './go-live.ts';
import { eraseAgain, laterErasures } from './replay-erasures.ts';
import { restoreBlobs, restoreTables } from './restore-backup.ts';
import { openSecrets, sealSecrets } from './sealed-secrets.ts';
import { verifyPoint } from './verify-backup.ts';
import { forgetOldPoints, writeBackup } from './write-backup.ts';

const house = useHouse();
const place = await temporaryFolder();
afterAll(place.remove);
let owner: Person;
const desk = deliveryDesk(house, () => owner);

beforeAll(async () => {
  owner = await makeOwner(house);
});

const source = (sealedSecrets?: Uint8Array) => ({
  databaseUrl: house.databaseUrl,
  blobs: house.app.blobs,
  sealedSecrets,
});
const folderAt = (name: string) => backupFolder(join(place.path, name));

/** An empty database, with a client. A restore needs a database that is not distributed. */
async function useEmptyDatabase({ isDistributed = false } = {}) {
  const { url, drop } = await cloneDatabase({ isDistributed });
  const db = openDb({ url, clock: house.clock, poolSize: 2, onIdleError: () => {} });
  return {
    url,
    db,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await drop();
    },
  };
}

async function restore(folder: BackupFolder, databaseUrl: string): Promise<void> {
  await restoreTables(await openPoint(folder), databaseUrl, house.app.log);
}

/** All rows of all tables. The copy alone knows that it was restored. */
async function contentsOf(databaseUrl: string): Promise<Record<string, string>> {
  await using dump = await openDump(databaseUrl);
  const contents: Record<string, string> = {};
  for (const table of dump.tables.filter(({ name }) => name !== 'restores'))
    contents[quoted(table)] = (await text(dump.copyTable(table).bytes)).split('\n').sort().join('\n');
  return contents;
}

test('a restored backup has every row and every file', async () => {
  const folder = folderAt('whole');
  const { id: attachmentId } = (await uploadApart(house, owner, { content: 'the bytes of a file' })).body;
  await owner.call('POST', '/tickets', { subject: 'A file', body: 'Grüße 𝄞\t\\n', attachmentIds: [attachmentId] });
  await desk.answer();
  await house.drain();
  const { filesCopied, missing } = await writeBackup(folder, source());
  expect(missing).toEqual([]);
  expect(filesCopied).toBeGreaterThan(0);
  expect((await verifyPoint(folder, await openPoint(folder))).faults).toEqual([]);

  await using empty = await useEmptyDatabase();
  const blobs = diskBlobs(join(place.path, 'restored-blobs'));
  expect(await restoreBlobs(folder, await openPoint(folder), blobs)).toBe(filesCopied);
  await restore(folder, empty.url);
  expect(await contentsOf(empty.url)).toEqual(await contentsOf(house.databaseUrl));
  await expect(restore(folder, empty.url)).rejects.toThrow('The database has accounts or workspaces already');
  expect((await writeBackup(folder, source())).filesCopied).toBe(0);
});

test('a backup during writes has every write that was acknowledged before it, and nothing by halves', async () => {
  const folder = folderAt('busy');
  const acknowledged: string[] = [];
  let isOver = false;
  const writing = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) acknowledged.push((await owner.call('POST', '/tickets', { subject: 'Busy', body: 'b' })).body.id);
    }),
  );
  while (acknowledged.length < 20) await owner.call('GET', '/tickets');
  const before = [...acknowledged];
  await writeBackup(folder, source());
  isOver = true;
  await writing;
  await using empty = await useEmptyDatabase();
  await restore(folder, empty.url);
  const { found, halves } = await empty.db.one<{ found: number; halves: number }>(sql`
    select count(*) filter (where t.id = any(${before}::uuid[])) as found,
      count(*) filter (where not exists (select from messages m where m.ticket_id = t.id)
        or not exists (select from activity a where a.ticket_id = t.id)) as halves
    from tickets t`);
  expect({ found, halves }).toEqual({ found: before.length, halves: 0 });
});

test('a damaged backup is found, and its database stays empty', async () => {
  const folder = folderAt('damaged');
  await uploadApart(house, owner, { content: 'soon damaged' });
  const { name } = await writeBackup(folder, source());
  const point = await openPoint(folder);
  const table = join(point.path, 'tables/public.messages.zst');
  const bytes = await readFile(table);
  await writeFile(table, bytes.subarray(0, -1));
  const [blob = ''] = await readdir(folder.blobsPath, { recursive: true }).then((names) =>
    names.filter((each) => /[0-9a-f]{64}$/.test(each)),
  );
  await writeFile(join(folder.blobsPath, blob), 'other bytes');
  expect((await verifyPoint(folder, point)).faults).toEqual([
    `tables/public.messages.zst has ${bytes.length - 1} bytes instead of ${bytes.length}`,
    `blobs/${blob} is damaged`,
  ]);
  await using empty = await useEmptyDatabase();
  await expect(restoreTables(point, empty.url, house.app.log)).rejects.toThrow(
    'tables/public.messages.zst of the backup is damaged',
  );
  expect(await empty.db.one(sql`select count(*) as users from users`)).toEqual({ users: 0 });
  await writeFile(table, bytes);
  await restoreTables(point, empty.url, house.app.log);

  await writeFile(join(point.path, 'manifest.json'), '{}');
  await expect(openPoint(folder, name)).rejects.toThrow('missing, damaged, or of a later release');
});

test('a backup of a later release is refused', async () => {
  const folder = folderAt('later');
  await writeBackup(folder, source());
  const point = await openPoint(folder);
  point.manifest.migrations.push('999_of_a_later_release.sql');
  await using empty = await useEmptyDatabase();
  await expect(restoreTables(point, empty.url, house.app.log)).rejects.toThrow('999_of_a_later_release.sql');
});

test('a database of another release is refused', async () => {
  await using earlier = await useEmptyDatabase({ isDistributed: true });
  await earlier.db.tx((tx) => tx.run(sql`delete from migrations where name = '009_operations.sql'`));
  const backup = writeBackup(folderAt('earlier'), { ...source(), databaseUrl: earlier.url });
  await expect(backup).rejects.toThrow('The database is of another release of Kontor');
});

test('an unfinished backup does not count, and the next one removes it', async () => {
  const folder = folderAt('unfinished');
  await writeBackup(folder, source());
  const [name = ''] = await listPoints(folder);
  const { path } = await openPoint(folder, name);
  await rm(join(path, 'manifest.json'));
  await rename(path, `${path}.unfinished`);
  expect(await listPoints(folder)).toEqual([]);
  await writeBackup(folder, source());
  expect(await readdir(folder.points)).toEqual(await listPoints(folder));
});

test('older backups are removed with the files that no newer one names', async () => {
  const folder = folderAt('kept');
  await writeBackup(folder, source());
  const stray = join(folder.blobsPath, 'stray');
  await writeFile(stray, 'of an unfinished backup');
  const { name, installation } = await writeBackup(folder, source());
  expect(await forgetOldPoints(folder, 1, installation)).toEqual({ forgotten: 1, others: 0 });
  expect(await listPoints(folder)).toEqual([name]);
  expect((await verifyPoint(folder, await openPoint(folder))).faults).toEqual([]);
  await expect(readFile(stray)).rejects.toThrow('ENOENT');
});

test('backups of another installation are neither removed nor counted', async () => {
  const folder = folderAt('of-two');
  const { name: foreign } = await writeBackup(folder, source());
  const { name: unnamed } = await writeBackup(folder, source());
  const manifests = [foreign, unnamed].map((name) => join(folder.points, name, 'manifest.json'));
  const [first = '', second = ''] = await Promise.all(manifests.map((path) => readFile(path, 'utf8')));
  const line = /"installation": "[0-9a-f-]{36}",/;
  // As old backups have it.
  await writeFile(manifests[1] ?? '', second.replace(line, ''));
  const { name: old } = await writeBackup(folder, source());
  const { name: newest, installation } = await writeBackup(folder, source());
  await writeFile(manifests[0] ?? '', first.replace(line, '"installation": "00000000-0000-4000-8000-000000000000",'));
  await expect(writeBackup(folder, source())).rejects.toThrow('has backups of another installation of Kontor');
  expect(await forgetOldPoints(folder, 1, installation)).toEqual({ forgotten: 1, others: 2 });
  expect(await listPoints(folder)).toEqual([foreign, unnamed, newest]);
  expect(old < newest).toBe(true);
  for (const name of [foreign, unnamed, newest])
    expect((await verifyPoint(folder, await openPoint(folder, name))).faults).toEqual([]);
});

test('a damaged backup does not keep the next one from being made', async () => {
  const folder = folderAt('beside-damage');
  const { name } = await writeBackup(folder, source());
  await writeFile(join(folder.points, name, 'manifest.json'), '{');
  await writeBackup(folder, source());
  expect(await listPoints(folder)).toHaveLength(2);
});

test('a file that the storage has lost is named, and the rest is restored', async () => {
  const folder = folderAt('lost');
  const bytes = Buffer.from('lost by the storage');
  await uploadApart(house, owner, { content: bytes.toString() });
  const sha256 = await house.app.blobs.put(owner.workspaceId, bytes);
  await house.app.blobs.remove(owner.workspaceId, sha256, new Date(Date.now() + 60_000));
  const { missing } = await writeBackup(folder, source());
  expect(missing).toEqual([`${owner.workspaceId}/${sha256.slice(0, 2)}/${sha256}`]);
  const point = await openPoint(folder);
  expect((await verifyPoint(folder, point)).faults).toEqual([]);
  await restoreBlobs(folder, point, diskBlobs(join(place.path, 'without-lost')));
  await house.app.blobs.put(owner.workspaceId, bytes);
});

test('only the passphrase opens the secrets', async () => {
  const secrets = { authSecret: 'a'.repeat(43), encryptionKeys: ['k'.repeat(43)] };
  const sealed = await sealSecrets(secrets, 'correct horse battery');
  expect(Buffer.from(sealed).toString('latin1')).toMatch(/^age-encryption\.org/);
  expect(await openSecrets(sealed, 'correct horse battery')).toEqual(secrets);
  await expect(openSecrets(sealed, 'another passphrase')).rejects.toThrow('does not open the secrets');
});

test.each([{ isMoved: false }, { isMoved: true }])('what waited in the backup: %o', async ({ isMoved }) => {
  const folder = folderAt(`hold-${isMoved}`);
  const answered = await desk.answer();
  await house.app.db.tx((tx) => enqueue(tx, 'system-mail.send', { kind: 'password-reset', userId: owner.userId }));
  await writeBackup(folder, source());
  await using empty = await useEmptyDatabase();
  await restore(folder, empty.url);
  expect(await findHold(empty.db)).toBeDefined();
  await expect(writeBackup(folder, { ...source(), databaseUrl: empty.url })).rejects.toThrow('`go-live` first');
  const answers = await goLive(empty.db, { isMoved });
  const waiting = await empty.db.one(sql`
    select (select delivery_status from messages where id = ${answered.messageId}) as answer,
      (select count(*) from graphile_worker.jobs where task_identifier = 'system-mail.send') > 0 as "isMailWaiting"`);
  expect(waiting).toEqual(
    isMoved ? { answer: 'queued', isMailWaiting: true } : { answer: 'uncertain', isMailWaiting: false },
  );
  expect(answers).toBe(isMoved ? 0 : 1);
  expect(await findHold(empty.db)).toBeUndefined();
  // What moved goes on with its backups. A copy beside its original must never count or remove those.
  const written = writeBackup(folder, { ...source(), databaseUrl: empty.url });
  if (isMoved) await written;
  else await expect(written).rejects.toThrow('has backups of another installation');
  expect(await goLive(empty.db, { isMoved })).toBeUndefined();
  await house.drain();
});

test('an older backup forgets again whom later ones remember as erased', async () => {
  const folder = folderAt('erased');
  const [email, word] = ['zora@quellwasser.example', 'plantedword'];
  await givePassword(house, owner, 'correct horse battery');
  await owner.call('POST', '/tickets', { subject: word, body: word, requester: { email, name: 'Zora Quellwasser' } });
  await writeBackup(folder, source());
  const older = await openPoint(folder);
  const [{ id }] = (await owner.call('GET', '/contacts?search=quellwasser')).body;
  const erased = await owner.call('POST', `/contacts/${id}/erasure`, { email, password: 'correct horse battery' });
  expect(erased.status).toBe(202);
  await house.drain();
  await writeBackup(folder, source());
  expect(await laterErasures(folder, await openPoint(folder))).toEqual([]);

  const statements = await laterErasures(folder, older);
  expect(statements).toHaveLength(1);
  const { authSecret } = house.app.config;
  const { log } = house.app;
  await using empty = await useEmptyDatabase();
  await restoreTables(older, empty.url, log, statements);
  expect(JSON.stringify(await contentsOf(empty.url))).toContain(email);
  expect(await eraseAgain({ databaseUrl: empty.url, authSecret, log })).toBe(1);
  const contents = JSON.stringify(await contentsOf(empty.url)).toLowerCase();
  for (const text of [email, word, 'quellwasser']) expect(contents).not.toContain(text);
  expect(await eraseAgain({ databaseUrl: empty.url, authSecret, log })).toBe(0);
});
