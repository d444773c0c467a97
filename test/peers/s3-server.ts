import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

/** A server that speaks S3, with one bucket. */
export type S3Server = {
  endpoint: string;
  bucket: string;
  /** The folder of its objects. */
  folder: string;
  close(): Promise<void>;
};

/** Starts the server, and sets the access keys in the environment. */
export async function startS3(): Promise<S3Server> {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  const directory = await mkdtemp(join(tmpdir(), 'kontor-s3-'));
  const bucket = 'kontor';
  const configureBuckets = [{ name: bucket, configs: [] }];
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    // It computes another signature than the standard for lists whose prefix has a slash.
    allowMismatchedSignatures: true,
    configureBuckets,
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    folder: join(directory, bucket),
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
