import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Storage } from '../settings/storage-settings.ts';
import { openClient } from './s3-client.ts';

export type BucketFile = { key: string; modifiedAt: Date };

/** Files below the prefix of a bucket, for backups. Keys are relative to the prefix. Faults are those of the SDK. */
export type BucketFiles = {
  list(below: string): AsyncGenerator<BucketFile>;
  put(key: string, text: string): Promise<void>;
  /** Throws if the bucket keeps another number of bytes than the file has. */
  upload(path: string, key: string): Promise<void>;
  download(key: string, path: string): Promise<void>;
  remove(key: string): Promise<void>;
  close(): Promise<void>;
};

const partBytes = 16 * 1024 * 1024;

export function openBucketFiles(storage: S3Storage): BucketFiles {
  const { bucket: Bucket, prefix } = storage;
  const keyOf = (key: string) => [prefix, key].filter(Boolean).join('/');
  const root = prefix === '' ? 0 : prefix.length + 1;
  let opened: ReturnType<typeof openClient> | undefined;
  const sdk = () => {
    opened ??= openClient(storage);
    return opened;
  };
  return {
    async *list(below) {
      const { client, ListObjectsV2Command } = await sdk();
      for (let ContinuationToken: string | undefined; ; ) {
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: keyOf(below), ContinuationToken }));
        for (const { Key = '', LastModified = new Date(0) } of page.Contents ?? [])
          yield { key: Key.slice(root), modifiedAt: LastModified };
        ContinuationToken = page.NextContinuationToken;
        if (page.IsTruncated !== true || ContinuationToken === undefined) return;
      }
    },
    put: async (key, text) => {
      const { client, PutObjectCommand } = await sdk();
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(key), Body: text }));
    },
    upload: async (path, key) => {
      const { client, Upload, HeadObjectCommand } = await sdk();
      const Body = createReadStream(path);
      await new Upload({ client, params: { Bucket, Key: keyOf(key), Body }, queueSize: 2, partSize: partBytes }).done();
      const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(key) }));
      if (ContentLength !== Body.bytesRead)
        throw new Error(`the bucket keeps ${ContentLength} bytes of the ${Body.bytesRead} of ${key}`);
    },
    download: async (key, path) => {
      const { client, GetObjectCommand } = await sdk();
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(key) }));
      // In Node the SDK's body is a Node stream.
      await pipeline(Body as Readable, createWriteStream(path, { mode: 0o600 }));
    },
    remove: async (key) => {
      const { client, DeleteObjectCommand } = await sdk();
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(key) }));
    },
    close: async () => (await opened)?.client.destroy(),
  };
}
