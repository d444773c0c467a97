import { join } from 'node:path';
import type { Logger } from '../platform/log.ts';
import type { Config } from '../settings/config.ts';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk-blobs.ts';
import { s3Blobs } from './s3-blobs.ts';

/** Opens the storage that `STORAGE_URL` names. */
export function openBlobs({ storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>, log: Logger): Blobs {
  return storage.kind === 'disk'
    ? diskBlobs(storage.root)
    : s3Blobs({ storage, spoolFolder: join(dataDir, 'spool'), log });
}
