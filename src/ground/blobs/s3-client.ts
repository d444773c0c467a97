import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Storage } from '../settings/storage-settings.ts';

/** The SDK takes 35 MB of memory, so it is loaded only when a bucket is used. */
export async function openClient({ endpoint, region }: S3Storage) {
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client: S3Client = new sdk.S3Client({
    region,
    // Only Amazon S3 gives each bucket its own host name.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Many S3-compatible stores do not support checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      // Time until the answer begins: uploading a part of 5 MB takes long on a slow line.
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      // A download holds its socket until its reader has finished.
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  });
  return { ...sdk, client, Upload };
}
