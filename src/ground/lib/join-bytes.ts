import { setImmediate as nextTurn } from 'node:timers/promises';

/** Copying 1 MiB takes one or two milliseconds. */
const turnBytesMax = 1_048_576;

/**
 * Copies bytes into one unshared buffer, and yields to the event loop after each MiB. Copying 30 MB at once would block
 * the loop for 25 ms, most of it while the system provides the memory.
 */
export async function joinBytes(pieces: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let turnBytes = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += turnBytesMax) {
      const slice = piece.subarray(from, from + turnBytesMax);
      turnBytes += slice.length;
      if (turnBytes > turnBytesMax) {
        await nextTurn();
        turnBytes = slice.length;
      }
      joined.set(slice, at);
      at += slice.length;
    }
  }
  return joined;
}

/** @returns undefined for more than `bytesMax`, and then ends the stream */
export async function gatherBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    // Leaving the loop destroys a stream of Node, and cancels a web stream.
    if (size > bytesMax) return undefined;
    gathered.push(chunk);
  }
  return Buffer.concat(gathered);
}
