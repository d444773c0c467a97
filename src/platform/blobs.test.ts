import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Blobs, diskBlobs, sha256Of } from './blobs.ts';

let folder = '';
let blobs: Blobs;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-blobs-'));
  blobs = diskBlobs(join(folder, 'not', 'there', 'yet'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const filesBelow = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

it('keeps bytes by their hash, once, apart for each workspace', async () => {
  const bytes = Buffer.from('something');
  const hashes = await blobs.putAll('one', [bytes, Buffer.from('else'), bytes]);
  expect(hashes[0]).toBe(sha256Of(bytes));
  expect(await blobs.put('one', bytes)).toBe(hashes[0]);
  expect(await filesBelow()).toHaveLength(2);
  expect(await blobs.get('one', sha256Of(bytes))).toEqual(bytes);
  expect(await blobs.open('two', sha256Of(bytes))).toBeUndefined();
});

it('reads a part', async () => {
  const sha256 = await blobs.put('one', Buffer.from('0123456789'));
  const part = await blobs.open('one', sha256, { start: 2, end: 4 });
  expect(part && (await buffer(part)).toString()).toBe('234');
});

it('packs, and gives back what was packed', async () => {
  const bytes = Buffer.alloc(100_000, 'mail ');
  const [sha256 = ''] = await blobs.packed.putAll('packed', [bytes]);
  expect(sha256).toBe(sha256Of(bytes));
  expect(await blobs.packed.get('packed', sha256)).toEqual(bytes);
  const stream = await blobs.packed.open('packed', sha256);
  expect(stream && (await buffer(stream))).toEqual(bytes);
  expect(await blobs.open('packed', sha256)).toBeUndefined();
  expect(await blobs.packed.open('packed', sha256Of(Buffer.from('other')))).toBeUndefined();
});

it('takes the same bytes from many at once', async () => {
  const bytes = Buffer.from('at once');
  await Promise.all(Array.from({ length: 20 }, () => blobs.put('many', bytes)));
  expect(await blobs.get('many', sha256Of(bytes))).toEqual(bytes);
});
