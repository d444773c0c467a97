import { isMarkedAsUntransferable } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** An answer of a worker thread, with the memory that is transferred. */
export type Moved<Answer> = { readonly [valueSymbol]: Answer };

/** @param views bytes within `answer` whose memory is transferred to the caller instead of copied */
export function moved<Answer extends object>(answer: Answer, views: readonly Uint8Array[]): Moved<Answer> {
  // Node's small buffers share a pool, which cannot be transferred.
  const memory = [...new Set(views.map(({ buffer }) => buffer))].filter((buffer) => !isMarkedAsUntransferable(buffer));
  // `move` marks and returns the object with the two symbols that it gets.
  return move({ [transferableSymbol]: memory, [valueSymbol]: answer }) as unknown as Moved<Answer>;
}
