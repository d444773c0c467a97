import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Spool, Spooled } from './spool.ts';

/**
 * Bytes by their SHA-256, apart for each workspace. What a put has answered is durable; putting the same bytes again changes
 * nothing but when they were last put.
 */
export type Blobs = {
  /** @returns the hash in hex */
  put(workspaceId: string, bytes: Uint8Array): Promise<string>;
  /** Many at once: they wait for the disk together. @returns the hashes in the order given */
  putAll(workspaceId: string, contents: readonly Uint8Array[]): Promise<string[]>;
  /** The first half of a put whose bytes come as a stream, of any size. */
  spool: Spool;
  /** The second half; the spooled file may be gone afterwards. */
  keep(workspaceId: string, spooled: Spooled): Promise<void>;
  /** The whole blob; throws an error with the code ENOENT when there is none. For small blobs only. */
  get(workspaceId: string, sha256: string): Promise<Buffer>;
  /** A stream over the blob, or over the bytes from `start` up to and with `end`; undefined when there is none. */
  open(workspaceId: string, sha256: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /**
   * Removes a blob that no row names, unless someone has put it after the instant given and may be about to name it.
   * @returns whether it is gone; true also when it was not there
   */
  remove(workspaceId: string, sha256: string, unlessPutAfter: Date): Promise<boolean>;
  /** The same for bytes that are kept compressed, apart from the others: raw mail. Hashes are of the bytes as given. */
  packed: Pick<Blobs, 'putAll' | 'get'> & { open(workspaceId: string, sha256: string): Promise<Readable | undefined> };
  /** Looks at the start whether bytes can be kept; throws, or warns where it may get better by itself. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** Hashing this much takes a millisecond or less. */
const turnBytesMax = 1_048_576;

/** Hashes contents of any size and yields to the event loop in between: 30 MB at once would block it for some 20 ms. */
export async function sha256OfAll(contents: readonly Uint8Array[]): Promise<string[]> {
  const hashes: string[] = [];
  let turnBytes = 0;
  for (const bytes of contents) {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes.length; at += turnBytesMax) {
      const slice = bytes.subarray(at, at + turnBytesMax);
      turnBytes += slice.length;
      if (turnBytes > turnBytesMax) {
        await nextTurn();
        turnBytes = slice.length;
      }
      hash.update(slice);
    }
    hashes.push(hash.digest('hex'));
  }
  return hashes;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
