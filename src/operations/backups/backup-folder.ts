import { mkdir, mkdtemp, opendir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import { openBucketFiles } from '../../ground/blobs/bucket-files.ts';
import { diskBlobs } from '../../ground/blobs/disk-blobs.ts';
import { s3Blobs } from '../../ground/blobs/s3-blobs.ts';
import { lockFolder } from '../../ground/embedded-postgres/folder-lock.ts';
import { syncFolder } from '../../ground/lib/durable-file.ts';
import { readSmallJson } from '../../ground/lib/read-small-file.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import type { Logger } from '../../ground/platform/log.ts';
import { readBucket } from '../../ground/settings/storage-settings.ts';
import { type BucketPoints, bucketPoints } from './bucket-points.ts';
import { isPointName, type Manifest, manifestSchema, pointNameOf } from './manifest.ts';

/** A finished backup of one moment. */
export type Point = { name: string; path: string; manifest: Manifest };

/** Where backups are. With a bucket, the local folder holds only the points that this process writes or reads. */
export type BackupFolder = {
  /** For people. */
  name: string;
  path: string;
  points: string;
  blobsPath: string;
  blobs: Blobs;
  bucket?: BucketPoints;
};

/** An unfinished point has this ending until its manifest is written. */
const unfinished = '.unfinished';

export function backupFolder(folder: string): BackupFolder {
  const path = resolve(folder);
  const blobsPath = join(path, 'blobs');
  return { name: path, path, points: join(path, 'points'), blobsPath, blobs: diskBlobs(blobsPath) };
}

/**
 * Opens a folder, or a bucket whose address begins with `s3://`. A bucket needs a temporary folder while it is open.
 * Throws a `StartError` for a wrong address.
 */
export async function openBackups(place: string, log: Logger): Promise<BackupFolder & AsyncDisposable> {
  if (!place.startsWith('s3://')) return { ...backupFolder(place), [Symbol.asyncDispose]: async () => {} };
  const { storage, faults } = URL.canParse(place)
    ? readBucket(place)
    : { storage: undefined, faults: ['not an address such as s3://bucket/prefix'] };
  if (storage === undefined || faults[0] !== undefined) throw new StartError(`${place.split('?')[0]}: ${faults[0]}`);
  const path = await mkdtemp(join(tmpdir(), 'kontor-backup-'));
  const name = ['s3:/', storage.bucket, storage.prefix].filter(Boolean).join('/');
  const files = openBucketFiles(storage);
  const below = { ...storage, prefix: [storage.prefix, 'blobs'].filter(Boolean).join('/') };
  const blobs = s3Blobs({ storage: below, spoolFolder: join(path, 'spool'), log });
  return {
    ...backupFolder(path),
    name,
    blobs,
    bucket: bucketPoints(files, name),
    [Symbol.asyncDispose]: async () => {
      await blobs.close();
      await files.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * Makes and locks the folder. Throws a `StartError` while another process writes into it.
 * @returns a function that releases the lock
 */
export async function lockBackups({ path, blobs, bucket }: BackupFolder): Promise<() => Promise<void>> {
  if (bucket !== undefined) return bucket.lock();
  await blobs.check();
  const lock = await lockFolder(path, 'backup.lock');
  if (lock === 'held') throw new StartError(`Another backup writes into ${path}.`);
  return async () => {
    if (lock !== 'unsupported') lock.release();
  };
}

/** The names of finished points, oldest first. */
export async function listPoints({ points, name: place, bucket }: BackupFolder): Promise<string[]> {
  if (bucket !== undefined) {
    return bucket.list().catch((cause: Error) => {
      throw new StartError(`The bucket ${place} cannot be read: ${cause.message || cause.name}`, { cause });
    });
  }
  const names = await readdir(points).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter(isPointName).sort();
}

/**
 * Opens a point by its name, the newest by default.
 * Throws a `StartError` when the point is missing, or when its manifest cannot be read.
 */
export async function openPoint(folder: BackupFolder, wanted?: string): Promise<Point> {
  const names = await listPoints(folder);
  const name = wanted ?? names.at(-1);
  if (name === undefined) throw new StartError(`${folder.name} has no backup.`);
  if (!names.includes(name))
    throw new StartError(`There is no backup ${name}: ${folder.name} has ${names.join(', ')}.`);
  const path = join(folder.points, name);
  // A point that this process wrote is there already.
  if (folder.bucket !== undefined && !(await hasFile(path, 'manifest.json'))) await folder.bucket.fetch(name, path);
  return { name, path, manifest: await manifestIn(path, name) };
}

/** The manifest of a point, without its other files. Throws a `StartError` when it cannot be read. */
export async function readManifest(folder: BackupFolder, name: string): Promise<Manifest> {
  if (folder.bucket === undefined) return manifestIn(join(folder.points, name), name);
  const path = join(folder.path, 'manifests', name);
  if (!(await hasFile(path, 'manifest.json'))) await folder.bucket.fetchManifest(name, path);
  return manifestIn(path, name);
}

async function manifestIn(path: string, name: string): Promise<Manifest> {
  const manifest = await readSmallJson(join(path, 'manifest.json'), manifestSchema);
  if (manifest !== undefined) return manifest;
  throw new StartError(`The manifest of ${name} is missing, damaged, or of a later release of Kontor.`);
}

/** Makes the folder of a new point, and removes the points that a crash left unfinished. */
export async function beginPoint({ points, bucket }: BackupFolder, takenAt: Date): Promise<string> {
  await bucket?.removeUnfinished();
  await mkdir(points, { recursive: true, mode: 0o700 });
  for (const name of await readdir(points))
    if (name.endsWith(unfinished)) await rm(join(points, name), { recursive: true, force: true });
  const path = join(points, `${pointNameOf(takenAt)}${unfinished}`);
  await mkdir(join(path, 'tables'), { recursive: true, mode: 0o700 });
  return path;
}

/** From here on, the point counts. @returns its name */
export async function finishPoint({ points, bucket }: BackupFolder, path: string): Promise<string> {
  await syncFolder(join(path, 'tables'));
  await syncFolder(path);
  const name = path.slice(points.length + 1, -unfinished.length);
  await rename(path, join(points, name));
  await syncFolder(points);
  await bucket?.store(name, join(points, name));
  return name;
}

export async function removePoint({ points, bucket }: BackupFolder, name: string): Promise<void> {
  if (bucket !== undefined) return bucket.remove(name);
  const gone = join(points, `${name}${unfinished}`);
  // Renamed first, so that a crash never leaves half a point that looks whole.
  await rename(join(points, name), gone);
  await rm(gone, { recursive: true, force: true });
}

/** Removes the files that no point needs. They are named as `blobPath` names them. */
export async function removeBlobs(
  { blobsPath, bucket }: BackupFolder,
  isKept: (path: string) => boolean,
): Promise<void> {
  if (bucket !== undefined) {
    for await (const path of bucket.listBlobs()) if (!isKept(path)) await bucket.removeBlob(path);
    return;
  }
  for await (const entry of await opendir(blobsPath, { recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !isKept(relative(blobsPath, file))) await rm(file);
  }
}

async function hasFile(path: string, name: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.includes(name);
}
