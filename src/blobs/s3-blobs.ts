import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import type { S3Client } from '@aws-sdk/client-s3';
import { inTurns } from '../lib/in-turns.ts';
import type { Logger } from '../platform/log.ts';
import type { S3Storage } from '../settings/storage-settings.ts';
import { type Blobs, sha256OfAll } from './blobs.ts';
import { asBucketFault, isMissing, missingBlob } from './s3-faults.ts';
import { openSpool, type Spooled } from './spool.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Small puts under way at once, as with files on disk. */
const putsAtOnceMax = 16;
/** An upload holds a part or two in memory: so many at once stay below 50 MB. */
const uploadsAtOnceMax = 3;
const partBytes = 5 * 1024 * 1024;

/** The start waits for no bucket longer than this. */
const checkMsMax = 5_000;

export type S3Options = { storage: S3Storage; spoolFolder: string; log: Logger };

/**
 * Blobs as objects of a bucket, under the keys that the files on disk have as paths: `<prefix>/<workspace>/<first two hex
 * digits>/<hash>`, compressed ones with the ending `.gz`. A bucket that does not answer is told as `unavailable`.
 */
export function s3Blobs({ storage, spoolFolder, log }: S3Options): Blobs {
  const bucket = openBucket(storage, log);
  const keyOf = (workspaceId: string, sha256: string) =>
    [storage.prefix, workspaceId, sha256.slice(0, 2), sha256].filter(Boolean).join('/');
  const packedKeyOf = (workspaceId: string, sha256: string) => `${keyOf(workspaceId, sha256)}.gz`;
  const turn = inTurns(putsAtOnceMax);
  const uploadTurn = inTurns(uploadsAtOnceMax);
  const putAll = async (workspaceId: string, contents: readonly Uint8Array[]) => {
    const hashes = await sha256OfAll(contents);
    const byHash = new Map(contents.map((bytes, at) => [hashes[at] ?? '', bytes]));
    const puts = [...byHash].map(([sha256, bytes]) => turn(() => bucket.put(keyOf(workspaceId, sha256), bytes)));
    await Promise.all(puts);
    return hashes;
  };
  return {
    put: async (workspaceId, bytes) => (await putAll(workspaceId, [bytes]))[0] ?? '',
    putAll,
    spool: openSpool(spoolFolder),
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
    },
    check: () => bucket.check(),
    close: () => bucket.close(),
  };
}

/** One bucket, by key. */
type Bucket = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  upload(key: string, spooled: Spooled): Promise<void>;
  get(key: string): Promise<Buffer>;
  open(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  remove(key: string, unlessPutAfter: Date): Promise<boolean>;
  check(): Promise<void>;
  close(): Promise<void>;
};

function openBucket(storage: S3Storage, log: Logger): Bucket {
  const { bucket: Bucket } = storage;
  let opened: ReturnType<typeof openClient> | undefined;
  /** The SDK weighs 35 MB: it is loaded where there is a bucket. */
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
      // The SDK for node answers with a stream of node's.
      return found?.Body as Readable | undefined;
    });
  return {
    open,
    // Always written anew: that is how a bucket notes when bytes were last put.
    put: async (Key, Body) => {
      await ask(({ client, PutObjectCommand }) => client.send(new PutObjectCommand({ Bucket, Key, Body })));
    },
    upload: (Key, { path, sizeBytes }) =>
      ask(async ({ client, Upload, HeadObjectCommand }) => {
        const Body = createReadStream(path);
        await new Upload({ client, params: { Bucket, Key, Body }, queueSize: 1, partSize: partBytes }).done();
        // There are stores that keep the framing of a streamed body as if it were the body.
        const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        if (ContentLength !== sizeBytes)
          throw new Error(`the bucket keeps ${ContentLength} bytes of the ${sizeBytes} of ${Key}`);
      }),
    get: async (key) => {
      const stream = await open(key);
      if (stream === undefined) throw missingBlob(key);
      return ask(async () => Buffer.concat(await stream.toArray()));
    },
    // Between the look and the deletion no bucket can be told to wait: whoever puts the same bytes in these milliseconds
    // loses them. For uploads the caller's lock keeps that from happening; mail must bring the bytes of an upload that was
    // abandoned a day ago in that very moment.
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
          `The bucket ${Bucket} of STORAGE_URL cannot be used right now: mail and files wait until it can`,
        );
    },
    close: async () => (await opened)?.client.destroy(),
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

async function openClient({ endpoint, region }: S3Storage) {
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client: S3Client = new sdk.S3Client({
    region,
    // Only Amazon's own gives each bucket a host of its own.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Checksums in trailers are what many compatible stores do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      // Until the answer begins: a part of 5 MB on a thin line takes its time.
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      // A download holds its socket for as long as the reader takes.
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  });
  return { ...sdk, client, Upload };
}
