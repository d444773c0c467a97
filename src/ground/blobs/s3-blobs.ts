import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import type { WorkspaceId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import type { Logger } from '../platform/log.ts';
import type { S3Storage } from '../settings/storage-settings.ts';
import { type Blobs, sha256OfAll } from './blobs.ts';
import { openClient } from './s3-client.ts';
import { asBucketFault, isMissing, missingBlob } from './s3-faults.ts';
import { openSpool, type Spooled } from './spool.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** How many small puts run at once; the same as for files on disk. */
const putsAtOnceMax = 16;
/** An upload holds one or two parts in memory, so three uploads stay below 50 MB. */
const uploadsAtOnceMax = 3;
const partBytes = 5 * 1024 * 1024;

/** The last instant of JavaScript. */
const ever = new Date(8_640_000_000_000_000);

/** How long the start waits for the bucket. */
const checkMsMax = 5_000;

export type S3Options = { storage: S3Storage; spoolFolder: string; log: Logger };

/**
 * Blobs as objects of a bucket. Keys equal the paths on disk: `<prefix>/<workspace>/<first two hex digits>/<hash>`,
 * with `.gz` for compressed blobs. A bucket that does not answer causes the error `unavailable`.
 */
export function s3Blobs({ storage, spoolFolder, log }: S3Options): Blobs {
  const bucket = openBucket(storage, log);
  const keyOf = (workspaceId: WorkspaceId, sha256: string) =>
    [storage.prefix, workspaceId, sha256.slice(0, 2), sha256].filter(Boolean).join('/');
  const packedKeyOf = (workspaceId: WorkspaceId, sha256: string) => `${keyOf(workspaceId, sha256)}.gz`;
  const spool = openSpool(spoolFolder);
  const turn = inTurns(putsAtOnceMax);
  const uploadTurn = inTurns(uploadsAtOnceMax);
  const putAll = async (workspaceId: WorkspaceId, contents: readonly Uint8Array[]) => {
    const hashes = await sha256OfAll(contents);
    const byHash = new Map(contents.map((bytes, at) => [hashes[at] ?? '', bytes]));
    const puts = [...byHash].map(([sha256, bytes]) => turn(() => bucket.put(keyOf(workspaceId, sha256), bytes)));
    await Promise.all(puts);
    return hashes;
  };
  return {
    put: async (workspaceId, bytes) => (await putAll(workspaceId, [bytes]))[0] ?? '',
    putAll,
    spool,
    keep: (workspaceId, spooled) => uploadTurn(() => bucket.upload(keyOf(workspaceId, spooled.sha256), spooled)),
    get: (workspaceId, sha256) => bucket.get(keyOf(workspaceId, sha256)),
    open: (workspaceId, sha256, range) => bucket.open(keyOf(workspaceId, sha256), range),
    remove: (workspaceId, sha256, unlessPutAfter) => bucket.remove(keyOf(workspaceId, sha256), unlessPutAfter),
    packed: {
      putAll: async (workspaceId, contents) => {
        const hashes = await sha256OfAll(contents);
        const byHash = new Map(contents.map((bytes, at) => [hashes[at] ?? '', bytes]));
        const puts = [...byHash].map(([sha256, bytes]) =>
          turn(async () => bucket.put(packedKeyOf(workspaceId, sha256), await gzipAsync(bytes))),
        );
        await Promise.all(puts);
        return hashes;
      },
      get: async (workspaceId, sha256) => gunzipAsync(await bucket.get(packedKeyOf(workspaceId, sha256))),
      open: async (workspaceId, sha256) => {
        const packed = await bucket.open(packedKeyOf(workspaceId, sha256));
        return packed && pipeline(packed, createGunzip(), () => {});
      },
      remove: (workspaceId, sha256, unlessPutAfter) => bucket.remove(packedKeyOf(workspaceId, sha256), unlessPutAfter),
    },
    stored: {
      has: (workspaceId, name) => bucket.has(keyOf(workspaceId, name)),
      open: (workspaceId, name) => bucket.open(keyOf(workspaceId, name)),
      keep: (workspaceId, name, spooled) => uploadTurn(() => bucket.upload(keyOf(workspaceId, name), spooled)),
      onDisk: async (workspaceId, name) => {
        const bytes = await bucket.open(keyOf(workspaceId, name));
        return bytes && spool(bytes);
      },
      remove: async (workspaceId, name) => {
        await bucket.remove(keyOf(workspaceId, name), ever);
      },
    },
    check: () => bucket.check(),
    close: () => bucket.close(),
  };
}

/** The operations on one bucket, by key. */
type Bucket = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  upload(key: string, spooled: Spooled): Promise<void>;
  get(key: string): Promise<Buffer>;
  has(key: string): Promise<boolean>;
  open(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  remove(key: string, unlessPutAfter: Date): Promise<boolean>;
  check(): Promise<void>;
  close(): Promise<void>;
};

function openBucket(storage: S3Storage, log: Logger): Bucket {
  const { bucket: Bucket } = storage;
  let opened: ReturnType<typeof openClient> | undefined;
  /** The SDK takes 35 MB of memory, so it is loaded at the first request to a bucket. */
  const ask = async <Result>(question: (sdk: Awaited<ReturnType<typeof openClient>>) => Promise<Result>) => {
    opened ??= openClient(storage);
    const sdk = await opened;
    return question(sdk).catch((error: unknown) => {
      throw asBucketFault(error, log);
    });
  };
  const open: Bucket['open'] = (key, range) =>
    ask(async ({ client, GetObjectCommand }) => {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await client.send(new GetObjectCommand({ Bucket, Key: key, Range })).catch(undefinedIfMissing);
      // In Node the SDK's body is a Node stream.
      return found?.Body as Readable | undefined;
    });
  return {
    open,
    // Always writes, because only a write updates the time of the last put.
    put: async (Key, Body) => {
      await ask(({ client, PutObjectCommand }) => client.send(new PutObjectCommand({ Bucket, Key, Body })));
    },
    upload: (Key, { path, sizeBytes }) =>
      ask(async ({ client, Upload, HeadObjectCommand }) => {
        const Body = createReadStream(path);
        await new Upload({ client, params: { Bucket, Key, Body }, queueSize: 1, partSize: partBytes }).done();
        // Some stores save the chunk framing of a streamed body as part of the body.
        const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        if (ContentLength !== sizeBytes)
          throw new Error(`the bucket keeps ${ContentLength} bytes of the ${sizeBytes} of ${Key}`);
      }),
    has: (Key) =>
      ask(async ({ client, HeadObjectCommand }) => {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(undefinedIfMissing);
        return found !== undefined;
      }),
    get: async (key) => {
      const stream = await open(key);
      if (stream === undefined) throw missingBlob(key);
      return ask(async () => Buffer.concat(await stream.toArray()));
    },
    // A bucket has no lock between the check and the deletion: a put of the same bytes in these milliseconds is lost.
    // For uploads the caller's lock prevents that. Mail is at risk only if it brings the bytes of an upload that was
    // abandoned a day ago, in that very moment.
    remove: (Key, unlessPutAfter) =>
      ask(async ({ client, HeadObjectCommand, DeleteObjectCommand }) => {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(undefinedIfMissing);
        if (found === undefined) return true;
        if (found.LastModified !== undefined && found.LastModified > unlessPutAfter) return false;
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
        return true;
      }),
    check: async () => {
      const reason = await ask(({ client, HeadBucketCommand }) =>
        client.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(checkMsMax) }),
      ).then(
        () => undefined,
        (error: Error) => (error.cause instanceof Error ? error.cause : error),
      );
      if (reason !== undefined)
        log.warn(
          { err: reason },
          `The bucket ${Bucket} of STORAGE_URL is unavailable: mail and files wait until it is available again`,
        );
    },
    close: async () => (await opened)?.client.destroy(),
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
