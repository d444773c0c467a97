import { createHash } from 'node:crypto';
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../lib/ids.ts';

/** Streamed bytes, durable in a separate file until `keep` stores them. Disposing of this removes the file. */
export type Spooled = AsyncDisposable & {
  path: string;
  sha256: string;
  sizeBytes: number;
  /** The first bytes, enough to detect the file type. */
  head: Buffer;
};

/** Writes a stream to a file, and hashes and counts its bytes. A stream that fails leaves no file. */
export type Spool = (bytes: AsyncIterable<Uint8Array>) => Promise<Spooled>;

const headBytesMax = 64 * 1024;
/** A crash left a file behind if nothing was written to it for this long. */
const abandonedMs = 3_600_000;

/** @param folder may be shared with other processes that spool at the same time; it is created when needed */
export function openSpool(folder: string): Spool {
  let tidiedAt = 0;
  return async (bytes) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (Date.now() - tidiedAt > abandonedMs) {
      tidiedAt = Date.now();
      await removeAbandoned(folder);
    }
    const path = join(folder, newId());
    const remove = () => unlink(path).catch(() => {});
    try {
      return { path, ...(await writeStream(path, bytes)), [Symbol.asyncDispose]: remove };
    } catch (error) {
      await remove();
      throw error;
    }
  };
}

async function writeStream(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Pick<Spooled, 'sha256' | 'sizeBytes' | 'head'>> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let sizeBytes = 0;
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of bytes) {
    hash.update(chunk);
    sizeBytes += chunk.byteLength;
    if (headBytes < headBytesMax) {
      // Copies the chunk, because its buffer may be reused.
      const first = Buffer.from(chunk.subarray(0, headBytesMax - headBytes));
      head.push(first);
      headBytes += first.byteLength;
    }
    await file.appendFile(chunk);
  }
  await file.sync();
  return { sha256: hash.digest('hex'), sizeBytes, head: Buffer.concat(head) };
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    // Another process may be removing it too.
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) await unlink(path).catch(() => {});
  }
}
