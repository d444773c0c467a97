import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Spool, Spooled } from './spool.ts';

/**
 * Stores bytes under their SHA-256, separately for each workspace. The bytes are durable once `put` resolves. Putting
 * the same bytes again only updates the time of the last put.
 */
export type Blobs = {
  /** @returns the hash in hex */
  put(workspaceId: WorkspaceId, bytes: Uint8Array): Promise<string>;
  /** Puts many blobs, which share their waits for the disk. @returns the hashes in the order given */
  putAll(workspaceId: WorkspaceId, contents: readonly Uint8Array[]): Promise<string[]>;
  /** The first half of a put for bytes that come as a stream of any size. */
  spool: Spool;
  /** The second half of such a put. The spooled file may be gone afterwards. */
  keep(workspaceId: WorkspaceId, spooled: Spooled): Promise<void>;
  /** Reads the whole blob; for small blobs only. Throws an error with the code ENOENT when the blob does not exist. */
  get(workspaceId: WorkspaceId, sha256: string): Promise<Buffer>;
  /** Streams the blob, or its bytes from `start` to `end` inclusive. Undefined when the blob does not exist. */
  open(workspaceId: WorkspaceId, sha256: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /**
   * Removes a blob that no row names, unless it was put after `unlessPutAfter`: then a row may be about to name it.
   * @returns whether the blob is gone; also true when it did not exist
   */
  remove(workspaceId: WorkspaceId, sha256: string, unlessPutAfter: Date): Promise<boolean>;
  /** The same for raw mail, which is stored compressed and separately. Hashes are of the uncompressed bytes. */
  packed: Pick<Blobs, 'putAll' | 'get' | 'remove'> & {
    open(workspaceId: WorkspaceId, sha256: string): Promise<Readable | undefined>;
  };
  /**
   * Blobs as they are stored, to copy them unchanged. Raw mail is gzip, and its names end in `.gz`. Files that are no
   * blobs, such as uploads of an import, have names of their own.
   */
  stored: {
    has(workspaceId: WorkspaceId, name: string): Promise<boolean>;
    open(workspaceId: WorkspaceId, name: string): Promise<Readable | undefined>;
    /** Keeps spooled bytes under a name. The caller has checked that it is their hash, or that nothing else has it. */
    keep(workspaceId: WorkspaceId, name: string, spooled: Spooled): Promise<void>;
    /** The bytes as a file of this machine: as stored, or a copy that goes when it is disposed of. */
    onDisk(workspaceId: WorkspaceId, name: string): Promise<({ path: string } & AsyncDisposable) | undefined>;
    /** Removes bytes that only the caller knows. Does nothing when there are none. */
    remove(workspaceId: WorkspaceId, name: string): Promise<void>;
  };
  /** Checks at the start whether the storage works. Throws for lasting faults, and warns about passing faults. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** Hashing this much takes a millisecond or less. */
const turnBytesMax = 1_048_576;

/** Hashes contents of any size and yields to the event loop in between: 30 MB without a pause block it for 20 ms. */
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
