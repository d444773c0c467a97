import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Blobs } from '../blobs/blobs.ts';
import { diskBlobs } from '../blobs/disk-blobs.ts';
import { lockFolder } from '../embedded-postgres/folder-lock.ts';
import { syncFolder } from '../lib/durable-file.ts';
import { StartError } from '../lib/start-error.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** A finished backup of one moment. */
export type Point = { name: string; path: string; manifest: Manifest };

export type BackupFolder = { path: string; points: string; blobsPath: string; blobs: Blobs };

/** An unfinished point has this ending until its manifest is written. */
const unfinished = '.unfinished';

export function backupFolder(folder: string): BackupFolder {
  const path = resolve(folder);
  const blobsPath = join(path, 'blobs');
  return { path, points: join(path, 'points'), blobsPath, blobs: diskBlobs(blobsPath) };
}

/**
 * Makes and locks the folder. Throws a `StartError` while another process writes into it.
 * @returns a function that releases the lock
 */
export async function lockBackups({ path, blobs }: BackupFolder): Promise<() => void> {
  await blobs.check();
  const lock = await lockFolder(path, 'backup.lock');
  if (lock === 'held') throw new StartError(`Another backup writes into ${path}.`);
  return () => lock !== 'unsupported' && lock.release();
}

/** The names of finished points, oldest first. */
export async function listPoints({ points }: BackupFolder): Promise<string[]> {
  const names = await readdir(points).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !name.endsWith(unfinished)).sort();
}

/**
 * Opens a point by its name, the newest by default.
 * Throws a `StartError` when there is none, or when its manifest cannot be read.
 */
export async function openPoint(folder: BackupFolder, wanted?: string): Promise<Point> {
  const names = await listPoints(folder);
  const name = wanted ?? names.at(-1);
  if (name === undefined) throw new StartError(`${folder.path} has no backup.`);
  if (!names.includes(name))
    throw new StartError(`There is no backup ${name}: ${folder.path} has ${names.join(', ')}.`);
  const path = join(folder.points, name);
  const text = await readFile(join(path, 'manifest.json'), 'utf8').catch(() => '');
  const manifest = readManifest(text);
  if (manifest === undefined)
    throw new StartError(`The manifest of ${name} is missing, damaged, or of a later release of Kontor.`);
  return { name, path, manifest };
}

/** Makes the folder of a new point, and removes the points that a crash left unfinished. */
export async function beginPoint({ points }: BackupFolder, takenAt: Date): Promise<string> {
  await mkdir(points, { recursive: true, mode: 0o700 });
  for (const name of await readdir(points))
    if (name.endsWith(unfinished)) await rm(join(points, name), { recursive: true, force: true });
  const path = join(points, `${nameOf(takenAt)}${unfinished}`);
  await mkdir(join(path, 'tables'), { recursive: true, mode: 0o700 });
  return path;
}

/** From here on, the point counts. @returns its name */
export async function finishPoint({ points }: BackupFolder, path: string): Promise<string> {
  await syncFolder(join(path, 'tables'));
  await syncFolder(path);
  const name = path.slice(points.length + 1, -unfinished.length);
  await rename(path, join(points, name));
  await syncFolder(points);
  return name;
}

export async function removePoint({ points }: BackupFolder, name: string): Promise<void> {
  const gone = join(points, `${name}${unfinished}`);
  // Renamed first, so that a crash never leaves half a point that looks whole.
  await rename(join(points, name), gone);
  await rm(gone, { recursive: true, force: true });
}

/** The time without colons, which some file systems refuse. */
function nameOf(takenAt: Date): string {
  return takenAt.toISOString().replaceAll(':', '-').replace(/Z$/, '');
}
