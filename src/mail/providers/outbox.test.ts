import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOutbox } from './outbox.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-outbox-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const mail = (text: string) => ({ envelopeFrom: 'a@b.c', recipients: ['d@e.f'], raw: Buffer.from(text) });

it('writes each mail as one file whose name sorts by time', async () => {
  const clock = { now: () => new Date('2026-11-20T19:05:01.123Z') };
  const outbox = openOutbox(join(folder, 'new', 'outbox'), clock);
  for (const text of ['one', 'two', 'three']) expect(await outbox.send(mail(text))).toEqual({ ok: true, isFile: true });
  await outbox.close();
  const names = (await readdir(join(folder, 'new', 'outbox'))).sort();
  expect(names[0]).toMatch(/^2026-11-20T19-05-01\.123Z-[0-9a-f-]{36}\.eml$/);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, 'new', 'outbox', name), 'utf8')));
  expect(texts).toEqual(['one', 'two', 'three']);
});

it('lets only its own user read the mail', async () => {
  const outbox = join(folder, 'outbox');
  await openOutbox(outbox).send(mail('a secret link'));
  const [name = ''] = await readdir(outbox);
  const modes = await Promise.all([outbox, join(outbox, name)].map(async (path) => (await stat(path)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600]);
});

it('keeps two hundred mails sent at once apart', async () => {
  const outbox = openOutbox(folder);
  await Promise.all(Array.from({ length: 200 }, (_, n) => outbox.send(mail(`mail ${n}`))));
  expect(await readdir(folder)).toHaveLength(200);
});

it('reports disk errors as temporary, and leaves no incomplete file', async () => {
  await writeFile(join(folder, 'file'), '');
  const outcome = await openOutbox(join(folder, 'file')).send(mail('x'));
  expect(outcome).toMatchObject({ ok: false, permanent: false });
});

it('writes nothing when the step before the content fails', async () => {
  const outcome = await openOutbox(folder).send({
    ...mail('x'),
    beforeContent: () => Promise.reject(new Error('not now')),
  });
  expect(outcome).toMatchObject({ ok: false, permanent: false, reason: 'the outbox could not be written: not now' });
  expect(await readdir(folder)).toEqual([]);
});
