import { setImmediate as nextTurn } from 'node:timers/promises';

/** Copying this much takes a millisecond or two. */
const turnBytesMax = 1_048_576;

/**
 * Copies bytes into one buffer that nothing else shares, and yields to the event loop in between: 30 MB at once would hold it for
 * 25 ms, most of which the system takes to provide the memory.
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
