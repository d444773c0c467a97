import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { BucketFile, BucketFiles } from '../../ground/blobs/bucket-files.ts';
import { newId } from '../../ground/lib/ids.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { isPointFile, isPointName } from './manifest.ts';

/** The points of a backup in a bucket, under the same names as in a folder. */
export type BucketPoints = {
  /** The names of finished points, oldest first. */
  list(): Promise<string[]>;
  /** Copies the files of a point into a local folder. */
  fetch(name: string, path: string): Promise<void>;
  /** Copies only its manifest into a local folder. */
  fetchManifest(name: string, path: string): Promise<void>;
  /** Copies the files of a finished point into the bucket. The manifest comes last: from then on, the point counts. */
  store(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes what crashed backups left. */
  removeUnfinished(): Promise<void>;
  /** The paths of the files of all points, below `blobs/`. */
  listBlobs(): AsyncGenerator<string>;
  removeBlob(path: string): Promise<void>;
  /** Throws a `StartError` while another backup writes. @returns a function that ends the lock */
  lock(): Promise<() => Promise<void>>;
};

const manifest = 'manifest.json';
const renewMs = 60_000;
/** A lock that was not renewed for this long is of a process that has ended. */
const staleMs = 10 * renewMs;

/** @param name of the bucket, for people */
export function bucketPoints(files: BucketFiles, name: string): BucketPoints {
  const listKeys = async (below: string) => (await listAll(files, below)).map(({ key }) => key);
  const listFinished = async () => {
    const keys = await listKeys('points/');
    const names = keys.map((key) => /^points\/([^/]+)\/manifest\.json$/.exec(key)?.[1] ?? '');
    return names.filter(isPointName).sort();
  };
  return {
    list: listFinished,
    fetch: async (point, path) => {
      for (const key of await listKeys(`points/${point}/`)) {
        const file = key.slice(`points/${point}/`.length);
        // A key may have any characters, and must not lead out of the folder.
        if (!isPointFile(file)) continue;
        const target = join(path, file);
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await files.download(key, target);
      }
    },
    fetchManifest: async (point, path) => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await files.download(`points/${point}/${manifest}`, join(path, manifest));
    },
    store: async (point, path) => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const keyOf = (each: string) => `points/${point}/${relative(path, each).replaceAll('\\', '/')}`;
      for (const each of paths) if (relative(path, each) !== manifest) await files.upload(each, keyOf(each));
      await files.upload(join(path, manifest), `points/${point}/${manifest}`);
    },
    remove: async (point) => {
      // The manifest goes first, so that a crash never leaves half a point that looks whole.
      await files.remove(`points/${point}/${manifest}`);
      for (const key of await listKeys(`points/${point}/`)) await files.remove(key);
    },
    removeUnfinished: async () => {
      const finished = new Set(await listFinished());
      for (const key of await listKeys('points/')) {
        const name = key.split('/')[1] ?? '';
        if (isPointName(name) && !finished.has(name)) await files.remove(key);
      }
    },
    listBlobs: async function* () {
      for await (const { key } of files.list('blobs/')) yield key.slice('blobs/'.length);
    },
    removeBlob: (path) => files.remove(`blobs/${path}`),
    lock: () => lockBucket(files, name),
  };
}

async function listAll(files: BucketFiles, below: string): Promise<BucketFile[]> {
  const all: BucketFile[] = [];
  for await (const file of files.list(below)) all.push(file);
  return all;
}

/**
 * A bucket has no locks. So each backup first leaves a note and then looks for other notes. Of two backups that begin
 * at once, at least one backup sees the other.
 */
async function lockBucket(files: BucketFiles, name: string): Promise<() => Promise<void>> {
  const own = `locks/${newId()}`;
  const renew = () => files.put(own, hostname());
  await renew().catch((cause: Error) => {
    throw new StartError(`The bucket ${name} cannot be written: ${cause.message || cause.name}`, { cause });
  });
  const timer = setInterval(() => void renew().catch(() => {}), renewMs);
  const release = async () => {
    clearInterval(timer);
    await files.remove(own);
  };
  const notes = await listAll(files, 'locks/');
  const now = notes.find(({ key }) => key === own)?.modifiedAt ?? new Date();
  for (const { key, modifiedAt } of notes) {
    if (key === own) continue;
    if (now.getTime() - modifiedAt.getTime() > staleMs) await files.remove(key);
    else {
      await release();
      throw new StartError(`Another backup writes into ${name}. If it was killed, wait ten minutes.`);
    }
  }
  return release;
}
