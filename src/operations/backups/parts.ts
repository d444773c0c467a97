import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as pipe, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { writeWhole } from '../../ground/lib/durable-file.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import type { Part } from './manifest.ts';

/** The default of zstd. */
const level = 3;

/** Compresses a stream into a new file of a point, and syncs it. */
export async function writePart(point: string, file: string, bytes: Readable): Promise<Part> {
  const handle = await open(join(point, file), 'wx', 0o600);
  try {
    const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: level } });
    const hash = createHash('sha256');
    let written = 0;
    await pipeline(bytes, compressed, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) written += await append(handle, hash, chunk);
    });
    await handle.sync();
    return { file, bytes: written, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

async function append(handle: FileHandle, hash: Hash, chunk: Buffer): Promise<number> {
  hash.update(chunk);
  await handle.appendFile(chunk);
  return chunk.length;
}

/** Writes a small file of a point as it is. */
export async function writeSmallPart(point: string, file: string, bytes: Uint8Array): Promise<Part> {
  await writeWhole(join(point, file), bytes, { mode: 0o600 });
  return { file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** @returns a sentence about the fault, or undefined when the file is as it was written */
export async function faultOfPart(point: string, { file, bytes, sha256 }: Part): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    // A link may lead to a device, which has no end.
    const found = await lstat(join(point, file));
    if (!found.isFile()) return `${file} is no plain file`;
    if (found.size !== bytes) return `${file} has ${found.size} bytes instead of ${bytes}`;
    for await (const chunk of createReadStream(join(point, file))) hash.update(chunk);
  } catch (error) {
    return `${file} cannot be read: ${(error as Error).message}`;
  }
  return hash.digest('hex') === sha256 ? undefined : `${file} is damaged`;
}

/**
 * The decompressed bytes. A file that is not as it was written is an error of the stream, at its end at the latest:
 * zstd itself does not notice each cut.
 */
export function readPart(point: string, part: Part): Readable {
  return pipe(createReadStream(join(point, part.file)), compareWith(part), createZstdDecompress(), () => {});
}

/** Passes the bytes of a part on and fails in place of the end when they differ from the part. */
function compareWith({ file, sha256 }: Part) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    const hash = createHash('sha256');
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw new StartError(`${file} of the backup is damaged.`);
  };
}
