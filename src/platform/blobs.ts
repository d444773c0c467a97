import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '../lib/ids.ts';

/**
 * Bytes by their SHA-256, apart for each workspace. What `put` has answered is durable; putting the same bytes again
 * changes nothing.
 */
export type Blobs = {
  /** @returns the hash in hex */
  put(workspaceId: string, bytes: Uint8Array): Promise<string>;
  /** The whole blob; throws when there is none. For small blobs only. */
  get(workspaceId: string, sha256: string): Promise<Buffer>;
  /** A stream over the blob, or over the bytes from `start` up to and with `end`; undefined when there is none. */
  open(workspaceId: string, sha256: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
};

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Blobs as files: `<root>/<workspace>/<first two hex digits>/<hash>`. */
export function diskBlobs(root: string): Blobs {
  const pathOf = (workspaceId: string, sha256: string) => join(root, workspaceId, sha256.slice(0, 2), sha256);
  return {
    put: async (workspaceId, bytes) => {
      const sha256 = sha256Of(bytes);
      await writeDurably(pathOf(workspaceId, sha256), bytes);
      return sha256;
    },
    get: (workspaceId, sha256) => readFile(pathOf(workspaceId, sha256)),
    open: async (workspaceId, sha256, range) => {
      const path = pathOf(workspaceId, sha256);
      const isThere = await stat(path).then(
        (found) => found.isFile(),
        () => false,
      );
      return isThere ? createReadStream(path, range) : undefined;
    },
  };
}

/** A file is whole or absent: it is written under another name, synced, and renamed; the folder is synced too. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.size === bytes.byteLength) return;
  const folder = join(path, '..');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${newId()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
