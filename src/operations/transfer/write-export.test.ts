import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { runService, temporaryFolder } from '../../../test/harness/service-process.ts';
import type { Person } from '../../../test/worlds/factories.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { fillWorkspace } from '../../../test/worlds/whole-workspace.ts';
import { sql } from '../../ground/database/sql.ts';
import { readSmallJson } from '../../ground/lib/read-small-file.ts';
import { fileOf, manifestSchema, recordFiles } from './format.ts';
import { writeExport } from './write-export.ts';

const house = useHouse();
const place = await temporaryFolder();
afterAll(place.remove);
let owner: Person;
let first: string;

beforeAll(async () => {
  owner = await fillWorkspace(house);
  first = await exportTo('first');
});

async function exportTo(name: string): Promise<string> {
  const folder = join(place.path, name);
  const { databaseUrl, app } = house;
  await writeExport(folder, { databaseUrl, blobs: app.blobs, workspaceId: owner.workspaceId });
  return folder;
}

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      contents[path.slice(folder.length + 1)] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    }
  return contents;
}

const linesOf = async (folder: string, name: string): Promise<any[]> =>
  (await readFile(join(folder, `${name}.jsonl`), 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('an export has each ticket with its messages and events, and the bytes that they name', async () => {
  const { app, url: _url } = house;
  const lines = await linesOf(first, 'tickets');
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const rows = await app.db.one(sql`
    select (select count(*) from tickets where workspace_id = ${owner.workspaceId}) as tickets,
      (select count(*) from messages where workspace_id = ${owner.workspaceId}) as messages,
      (select count(*) from activity where workspace_id = ${owner.workspaceId}) as events`);
  expect({ tickets: count('ticket'), messages: count('message'), events: count('event') }).toEqual(rows);
  expect(count('end')).toBe(count('ticket'));
  const contents = await contentsOf(first);
  const files = lines.flatMap((line) => line.attachments ?? []);
  expect(files.length).toBeGreaterThan(5);
  for (const { sha256 } of files) expect(contents[`files/${sha256.slice(0, 2)}/${sha256}`]).toBe(sha256);
  const mails = lines.flatMap((line) => line.mails ?? []);
  expect(mails.length).toBeGreaterThan(5);
  for (const { sha256 } of mails) expect(contents[`mail/${sha256.slice(0, 2)}/${sha256}.eml`]).toBe(sha256);
  expect(await linesOf(first, 'mails')).toHaveLength(1);
});

test('the manifest tells the size and hash of each file of records', async () => {
  const manifest = await readSmallJson(join(first, 'manifest.json'), manifestSchema);
  const contents = await contentsOf(first);
  expect(manifest?.records.map(({ file }) => file)).toEqual(recordFiles.map(fileOf));
  for (const { file, sha256, bytes } of manifest?.records ?? []) {
    expect(contents[file]).toBe(sha256);
    expect((await stat(join(first, file))).size).toBe(bytes);
  }
});

test('a merged ticket stands behind the one that has its messages', async () => {
  const lines = await linesOf(first, 'tickets');
  const places = new Map(lines.map((line, at) => [line.id, at]));
  const merged = lines.filter((line) => line.mergedIntoId);
  expect(merged).toHaveLength(2);
  for (const { id, mergedIntoId } of merged) expect(places.get(mergedIntoId)).toBeLessThan(places.get(id) ?? 0);
});

test('no answer waits to be sent in an export', async () => {
  const states = (await linesOf(first, 'tickets')).map(({ deliveryStatus }) => deliveryStatus).filter(Boolean);
  expect([...new Set(states)].sort()).toEqual(['bounced', 'cancelled', 'failed', 'sent', 'uncertain']);
});

test('the same workspace makes the same bytes', async () => {
  expect(await contentsOf(await exportTo('second'))).toEqual(await contentsOf(first));
});

test('another export into the folder copies no file again, and removes what the workspace has no more', async () => {
  const folder = await exportTo('again');
  const [kept = '', lost = ''] = Object.keys(await contentsOf(folder)).filter((path) => path.startsWith('files/'));
  await utimes(join(folder, kept), 1, 1);
  await rm(join(folder, lost));
  await mkdir(join(folder, 'files/zz'));
  await writeFile(join(folder, 'files/zz/stray'), 'x');
  await exportTo('again');
  expect((await stat(join(folder, kept))).mtimeMs).toBe(1_000);
  expect(await contentsOf(folder)).toEqual(await contentsOf(first));
});

test('no secret and no other workspace is in an export', async () => {
  const other = await makeOwner(house, 'Another tenant');
  await other.call('POST', '/tickets', { subject: 'Of another tenant', body: 'b' });
  const key = (await owner.call('POST', '/api-keys', { name: 'k', role: 'agent' })).body;
  const hook = (await owner.call('POST', '/webhooks', { url: 'https://example.org/h', events: ['ticket.created'] }))
    .body;
  const { app } = house;
  await app.db.tx((tx) =>
    tx.run(sql`update users set password_hash = 'HASH-OF-A-PASSWORD' where id = ${owner.userId}`),
  );
  const folder = await exportTo('secrets');
  const { replyKey } = await app.db.one<{ replyKey: string }>(sql`
    select encode(reply_key, 'hex') as "replyKey" from inbound_addresses where workspace_id = ${owner.workspaceId}`);
  let all = '';
  for (const name of await readdir(folder))
    if (name.endsWith('.jsonl')) all += await readFile(join(folder, name), 'utf8');
  for (const secret of ['SEALED-TOKEN', 'HASH-OF-A-PASSWORD', 'another tenant', key.secret, hook.secret, replyKey]) {
    expect(secret).toBeTruthy();
    expect(all.toLowerCase()).not.toContain(secret.toLowerCase());
  }
});

test('a file that the storage has lost is named', async () => {
  const { app } = house;
  const attachment = (await linesOf(first, 'tickets')).flatMap((line) => line.attachments ?? [])[0];
  const bytes = await app.blobs.get(owner.workspaceId, attachment.sha256);
  await app.blobs.remove(owner.workspaceId, attachment.sha256, new Date(Date.now() + 60_000));
  const folder = await exportTo('lost');
  const manifest = await readSmallJson(join(folder, 'manifest.json'), manifestSchema);
  expect(manifest?.missing).toEqual([`files/${attachment.sha256.slice(0, 2)}/${attachment.sha256}`]);
  await app.blobs.put(owner.workspaceId, bytes);
});

async function run(...args: string[]) {
  const { databaseUrl: DATABASE_URL, dataDir: DATA_DIR } = house;
  const secrets = { AUTH_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'e'.repeat(32) };
  const command = runService({ DATA_DIR, DATABASE_URL, LOG_LEVEL: 'warn', ...secrets }, ['src/main.ts', ...args]);
  const { code } = await command.exited;
  return { code, output: command.output().trim() };
}

test('the command exports by name, and refuses folders with other things', async () => {
  const folder = join(place.path, 'by-command');
  const done = await run('export', '--workspace', owner.workspaceId, folder);
  expect(done).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Exported \d+ tickets, \d+ new files, 0 files/),
  });
  expect((await contentsOf(folder))['tickets.jsonl']).toBe((await contentsOf(await exportTo('now')))['tickets.jsonl']);
  const other = await makeOwner(house, 'Elsewhere');
  expect(await run('export', '-w', other.workspaceId, folder)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/another workspace/),
  });
  expect(await run('export', '-w', 'Elsewhere', place.path)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/is not empty/),
  });
  expect(await run('export', folder)).toMatchObject({ code: 2, output: expect.stringMatching(/^usage: /) });
});
