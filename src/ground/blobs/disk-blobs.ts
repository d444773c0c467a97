import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import { syncFolder, writeWhole } from '../lib/durable-file.ts';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { inTurns } from '../lib/in-turns.ts';
import { StartError } from '../lib/start-error.ts';
import { type Blobs, sha256OfAll } from './blobs.ts';
import { openSpool, type Spooled } from './spool.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Blobs as files: `<root>/<workspace>/<first two hex digits>/<hash>`. Compressed blobs end in `.gz`. */
export function diskBlobs(root: string): Blobs {
  const pathOf = (workspaceId: WorkspaceId, sha256: string) => join(root, workspaceId, sha256.slice(0, 2), sha256);
  const putAll = async (workspaceId: WorkspaceId, contents: readonly Uint8Array[]) => {
    const hashes = await sha256OfAll(contents);
    await writeDurably(contents.map((bytes, at) => ({ path: pathOf(workspaceId, hashes[at] ?? ''), bytes })));
    return hashes;
  };
  const keepAs = async (path: string, spooled: Spooled) => {
    const folders = await makeFolders([dirname(path)]);
    if (!(await putAgain(path, spooled.sizeBytes))) await rename(spooled.path, path);
    await syncAll(folders);
  };
  const openAt = async (path: string, range?: { start: number; end: number }) =>
    (await isFile(path)) ? createReadStream(path, range) : undefined;
  return {
    put: async (workspaceId, bytes) => (await putAll(workspaceId, [bytes]))[0] ?? '',
    putAll,
    // Below the same root, so that `keep` is a rename.
    spool: openSpool(join(root, '.spool')),
    keep: (workspaceId, spooled) => keepAs(pathOf(workspaceId, spooled.sha256), spooled),
    get: (workspaceId, sha256) => readFile(pathOf(workspaceId, sha256)),
    open: (workspaceId, sha256, range) => openAt(pathOf(workspaceId, sha256), range),
    remove: (workspaceId, sha256, unlessPutAfter) => removeFile(pathOf(workspaceId, sha256), unlessPutAfter),
    packed: {
      putAll: async (workspaceId, contents) => {
        const hashes = await sha256OfAll(contents);
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
        // `pipeline` passes a fault of the file on to the reader, which handles it.
        return pipeline(createReadStream(path), createGunzip(), () => {});
      },
      remove: (workspaceId, sha256, unlessPutAfter) => removeFile(`${pathOf(workspaceId, sha256)}.gz`, unlessPutAfter),
    },
    stored: {
      has: (workspaceId, name) => isFile(pathOf(workspaceId, name)),
      open: (workspaceId, name) => openAt(pathOf(workspaceId, name)),
      keep: (workspaceId, name, spooled) => keepAs(pathOf(workspaceId, name), spooled),
      onDisk: async (workspaceId, name) => {
        const path = pathOf(workspaceId, name);
        return (await isFile(path)) ? { path, [Symbol.asyncDispose]: async () => {} } : undefined;
      },
      remove: (workspaceId, name) => rm(pathOf(workspaceId, name), { force: true }),
    },
    check: async () => {
      try {
        await mkdir(root, { recursive: true, mode: 0o700 });
      } catch (cause) {
        throw new StartError(`Files cannot be kept in ${root}: ${(cause as Error).message}`);
      }
    },
    close: async () => {},
  };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

type NewFile = { path: string; bytes: Uint8Array };

/** Limits the open files. Concurrent syncs share the disk's flushes. */
const atOnceMax = 16;

/**
 * Syncs each folder once for all files. Includes the folders of files that exist already: their writer may not have
 * synced the folder yet.
 */
async function writeDurably(files: readonly NewFile[]): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = await makeFolders([...byPath.keys()].map(dirname));
  const turn = inTurns(atOnceMax);
  await Promise.all([...byPath.values()].map((file) => turn(() => writeMissing(file))));
  await syncAll(folders);
}

/** @returns the folders whose entries must be synced */
async function makeFolders(wanted: readonly string[]): Promise<Set<string>> {
  const folders = new Set(wanted);
  for (const folder of [...folders]) {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) for (const above of foldersBetween(folder, dirname(made))) folders.add(above);
  }
  return folders;
}

/** Lists the parents of a new folder, up to the first that existed before: each has a new entry to sync. */
function foldersBetween(folder: string, top: string): string[] {
  const above = dirname(folder);
  return above === top || above === folder ? [above] : [above, ...foldersBetween(above, top)];
}

async function syncAll(folders: Iterable<string>): Promise<void> {
  const turn = inTurns(atOnceMax);
  await Promise.all([...folders].map((folder) => turn(() => syncFolder(folder))));
}

async function writeMissing({ path, bytes }: NewFile): Promise<void> {
  if (await putAgain(path, bytes.byteLength)) return;
  await writeWhole(path, bytes, { mode: 0o600 });
}

/**
 * Whether the bytes exist already. If so, sets the file's time to now, so that a sweep sees the new put. Returns false
 * if the file is removed between the check and the update of its time.
 */
async function putAgain(path: string, sizeBytes: number): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.size !== sizeBytes) return false;
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/**
 * Safe beside a concurrent put of the same bytes. If the put touches the file before the rename, the second check sees
 * that and moves the file back. Otherwise the put finds no file and writes a new file.
 */
async function removeFile(path: string, unlessPutAfter: Date): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  if (existing === undefined) return true;
  if (existing.mtime > unlessPutAfter) return false;
  const aside = join(dirname(path), `.${newId()}`);
  await rename(path, aside);
  if ((await stat(aside)).mtime > unlessPutAfter) {
    await rename(aside, path);
    return false;
  }
  await unlink(aside);
  return true;
}
