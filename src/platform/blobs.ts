import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import { syncFolder, writeWhole } from '../lib/durable-file.ts';

/**
 * Bytes by their SHA-256, apart for each workspace. What a put has answered is durable; putting the same bytes again
 * changes nothing.
 */
export type Blobs = {
  /** @returns the hash in hex */
  put(workspaceId: string, bytes: Uint8Array): Promise<string>;
  /** Many at once: they wait for the disk together. @returns the hashes in the order given */
  putAll(workspaceId: string, contents: readonly Uint8Array[]): Promise<string[]>;
  /** The whole blob; throws when there is none. For small blobs only. */
  get(workspaceId: string, sha256: string): Promise<Buffer>;
  /** A stream over the blob, or over the bytes from `start` up to and with `end`; undefined when there is none. */
  open(workspaceId: string, sha256: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /** The same for bytes that are kept compressed, apart from the others: raw mail. Hashes are of the bytes as given. */
  packed: Pick<Blobs, 'putAll' | 'get'> & { open(workspaceId: string, sha256: string): Promise<Readable | undefined> };
};

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Blobs as files: `<root>/<workspace>/<first two hex digits>/<hash>`, compressed ones with the ending `.gz`. */
export function diskBlobs(root: string): Blobs {
  const pathOf = (workspaceId: string, sha256: string) => join(root, workspaceId, sha256.slice(0, 2), sha256);
  const putAll = async (workspaceId: string, contents: readonly Uint8Array[]) => {
    const hashes = contents.map(sha256Of);
    await writeDurably(contents.map((bytes, at) => ({ path: pathOf(workspaceId, hashes[at] ?? ''), bytes })));
    return hashes;
  };
  return {
    put: async (workspaceId, bytes) => (await putAll(workspaceId, [bytes]))[0] ?? '',
    putAll,
    get: (workspaceId, sha256) => readFile(pathOf(workspaceId, sha256)),
    open: async (workspaceId, sha256, range) => {
      const path = pathOf(workspaceId, sha256);
      return (await isFile(path)) ? createReadStream(path, range) : undefined;
    },
    packed: {
      putAll: async (workspaceId, contents) => {
        const hashes = contents.map(sha256Of);
        const files = contents.map(async (bytes, at) => ({
          path: `${pathOf(workspaceId, hashes[at] ?? '')}.gz`,
          bytes: await gzipAsync(bytes),
        }));
        await writeDurably(await Promise.all(files));
        return hashes;
      },
      get: async (workspaceId, sha256) => gunzipAsync(await readFile(`${pathOf(workspaceId, sha256)}.gz`)),
      open: async (workspaceId, sha256) => {
        const path = `${pathOf(workspaceId, sha256)}.gz`;
        if (!(await isFile(path))) return undefined;
        // `pipeline` carries a fault of the file to whoever reads; they handle it there.
        return pipeline(createReadStream(path), createGunzip(), () => {});
      },
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

type NewFile = { path: string; bytes: Uint8Array };

/**
 * The folders are synced once for all, also for files that are there already: whoever wrote those may not have come so far
 * yet.
 */
async function writeDurably(files: readonly NewFile[]): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = new Set([...byPath.keys()].map(dirname));
  for (const folder of [...folders]) {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) for (const above of foldersBetween(folder, dirname(made))) folders.add(above);
  }
  await eachOf([...byPath.values()], writeMissing);
  await eachOf([...folders], syncFolder);
}

/** A new folder is an entry of the one above it, and so on up to one that was there. */
function foldersBetween(folder: string, top: string): string[] {
  const above = dirname(folder);
  return above === top || above === folder ? [above] : [above, ...foldersBetween(above, top)];
}

async function writeMissing({ path, bytes }: NewFile): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.size === bytes.byteLength) return;
  await writeWhole(path, bytes, { mode: 0o600 });
}

/** Open files are few whatever the number of blobs; the syncs of those under way share the disk's flushes. */
const atOnceMax = 16;

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker));
}
