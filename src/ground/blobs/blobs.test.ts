import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Server, startS3 } from '../../../test/peers/s3-server.ts';
import { inventedId } from '../../../test/worlds/factories.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { StartError } from '../lib/start-error.ts';
import { openLog } from '../platform/log.ts';
import { type Blobs, sha256Of } from './blobs.ts';
import { diskBlobs } from './disk-blobs.ts';
import { s3Blobs } from './s3-blobs.ts';

const one = inventedId<WorkspaceId>('one');
const two = inventedId<WorkspaceId>('two');

let folder = '';
let server: S3Server;
const log = openLog('silent');
const kinds: Record<string, Blobs> = {};

const bucketOf = (bucket: string, endpoint = server.endpoint) =>
  s3Blobs({
    storage: { kind: 's3', bucket, prefix: 'kept/here', endpoint, region: 'us-east-1' },
    spoolFolder: join(folder, 'spool'),
    log,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-blobs-'));
  server = await startS3();
  kinds.disk = diskBlobs(join(folder, 'not', 'there', 'yet'));
  kinds.s3 = bucketOf(server.bucket);
});
afterAll(async () => {
  for (const blobs of Object.values(kinds)) await blobs.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const filesIn = async (...path: string[]) => {
  const entries = await readdir(join(...path), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile());
};
const past = new Date(Date.now() - 60_000);
const soon = () => new Date(Date.now() + 60_000);

describe.each(['disk', 's3'])('blobs on %s', (kind) => {
  const blobs = (): Blobs => kinds[kind] as Blobs;
  const keep = async (workspaceId: WorkspaceId, bytes: Buffer[]) => {
    await using spooled = await blobs().spool(Readable.from(bytes));
    await blobs().keep(workspaceId, spooled);
    return spooled;
  };

  it('are stored by their hash, separately for each workspace', async () => {
    const bytes = Buffer.from('something');
    const hashes = await blobs().putAll(one, [bytes, Buffer.from('else'), bytes]);
    expect(hashes).toEqual([sha256Of(bytes), sha256Of(Buffer.from('else')), sha256Of(bytes)]);
    expect(await blobs().put(one, bytes)).toBe(hashes[0]);
    expect(await blobs().get(one, sha256Of(bytes))).toEqual(bytes);
    expect(await blobs().open(two, sha256Of(bytes))).toBeUndefined();
  });

  it('that do not exist give the error of a missing file', async () => {
    const sha256 = sha256Of(Buffer.from('nowhere'));
    await expect(blobs().get(one, sha256)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(blobs().packed.get(one, sha256)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await blobs().packed.open(one, sha256)).toBeUndefined();
  });

  it('are read in part', async () => {
    const sha256 = await blobs().put(one, Buffer.from('0123456789'));
    const part = await blobs().open(one, sha256, { start: 2, end: 4 });
    expect(part && (await buffer(part)).toString()).toBe('234');
  });

  it('are compressed, and come back unchanged', async () => {
    const bytes = Buffer.alloc(100_000, 'mail ');
    const [sha256 = ''] = await blobs().packed.putAll(one, [bytes]);
    expect(sha256).toBe(sha256Of(bytes));
    expect(await blobs().packed.get(one, sha256)).toEqual(bytes);
    const stream = await blobs().packed.open(one, sha256);
    expect(stream && (await buffer(stream))).toEqual(bytes);
    expect(await blobs().open(one, sha256)).toBeUndefined();
  });

  it('accept the same bytes from many writers at once', async () => {
    const bytes = Buffer.from('at once');
    await Promise.all(Array.from({ length: 20 }, () => blobs().put(one, bytes)));
    expect(await blobs().get(one, sha256Of(bytes))).toEqual(bytes);
  });

  it('store a stream of any size byte for byte', async () => {
    // Larger than one part of a multipart upload, in chunks of an odd size.
    const chunks = Array.from({ length: 70 }, () => randomBytes(100_003));
    const whole = Buffer.concat(chunks);
    const spooled = await keep(one, chunks);
    expect(spooled).toMatchObject({ sha256: sha256Of(whole), sizeBytes: whole.length });
    expect(spooled.head.equals(whole.subarray(0, spooled.head.length))).toBe(true);
    const stream = await blobs().open(one, spooled.sha256);
    const hash = createHash('sha256');
    for await (const chunk of stream ?? []) hash.update(chunk);
    expect(hash.digest('hex')).toBe(spooled.sha256);
  });

  it('accept an empty stream, also twice', async () => {
    const { sha256 } = await keep(one, []);
    await keep(one, []);
    expect(await blobs().get(one, sha256)).toHaveLength(0);
  });

  it('leave nothing of a stream that breaks off', async () => {
    const broken = async function* () {
      yield Buffer.from('half');
      throw new Error('broken off');
    };
    await expect(blobs().spool(broken())).rejects.toThrow('broken off');
    const unkept = await blobs().spool(Readable.from([Buffer.from('not kept')]));
    await unkept[Symbol.asyncDispose]();
    expect(await filesIn(folder, 'spool')).toEqual([]);
    expect(await filesIn(folder, 'not', 'there', 'yet', '.spool')).toEqual([]);
  });

  it('are removed, unless they were put again since', async () => {
    const bytes = Buffer.from('to be removed');
    const sha256 = await blobs().put(one, bytes);
    expect(await blobs().remove(one, sha256, past)).toBe(false);
    expect(await blobs().get(one, sha256)).toEqual(bytes);
    expect(await blobs().remove(one, sha256, soon())).toBe(true);
    expect(await blobs().open(one, sha256)).toBeUndefined();
    expect(await blobs().remove(one, sha256, soon())).toBe(true);
  });

  it('pass the check at the start', async () => {
    await expect(blobs().check()).resolves.toBeUndefined();
  });
});

describe('blobs on disk', () => {
  it('are written once; another put renews their time, so that they are not removed', async () => {
    const blobs = diskBlobs(join(folder, 'again'));
    const bytes = Buffer.from('again');
    const sha256 = await blobs.put(one, bytes);
    const path = join(folder, 'again', 'one', sha256.slice(0, 2), sha256);
    for (const putAgain of [
      () => blobs.put(one, bytes),
      async () => blobs.keep(one, await blobs.spool(Readable.from([bytes]))),
    ]) {
      await utimes(path, past, past);
      await putAgain();
      expect(await blobs.remove(one, sha256, new Date(past.getTime() + 1_000))).toBe(false);
    }
    expect(await filesIn(folder, 'again', 'one')).toHaveLength(1);
  });

  it('lose spooled files that a crash left behind after an hour', async () => {
    const spool = join(folder, 'crashed', '.spool');
    await mkdir(spool, { recursive: true });
    for (const [name, at] of [
      ['crashed', new Date(Date.now() - 2 * 3_600_000)],
      ['under-way', new Date()],
    ] as const) {
      await writeFile(join(spool, name), 'half');
      await utimes(join(spool, name), at, at);
    }
    await using _spooled = await diskBlobs(join(folder, 'crashed')).spool(Readable.from([]));
    const names = await readdir(spool);
    expect(names).toContain('under-way');
    expect(names).not.toContain('crashed');
  });

  it('in a folder that cannot be created fail the start', async () => {
    await writeFile(join(folder, 'a-file'), '');
    await expect(diskBlobs(join(folder, 'a-file', 'below')).check()).rejects.toBeInstanceOf(StartError);
  });
});

describe('blobs on s3', () => {
  it('lie below the prefix, by workspace and hash', async () => {
    const sha256 = await kinds.s3?.put(one, Buffer.from('placed'));
    const files = await filesIn(server.folder, 'kept', 'here', one);
    expect(files.map(({ name }) => name)).toContainEqual(expect.stringContaining(sha256 ?? 'none'));
  });

  it('are unavailable while the bucket is out of reach, at the start and later', async () => {
    const away = bucketOf(server.bucket, 'http://127.0.0.1:9');
    await expect(away.check()).resolves.toBeUndefined();
    const fault = await away.open(one, sha256Of(Buffer.from('x'))).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(AppError);
    expect(fault).toMatchObject({ key: 'unavailable', headers: { 'retry-after': '5' } });
  });

  it('in a bucket that does not exist fail with the error of the store instead of a 503', async () => {
    const wrong = bucketOf('nosuchbucket');
    await expect(wrong.put(one, Buffer.from('x'))).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await expect(wrong.open(one, sha256Of(Buffer.from('x')))).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });
});
