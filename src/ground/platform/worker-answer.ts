import { isMarkedAsUntransferable } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** An answer of a worker thread, with the memory to transfer. */
export type Moved<Answer> = { readonly [valueSymbol]: Answer };

/** @param views bytes within `answer` whose memory is transferred to the caller instead of copied */
export function moved<Answer extends object>(answer: Answer, views: readonly Uint8Array[]): Moved<Answer> {
  // Small buffers share Node's pool, which cannot be transferred.
  const memory = [...new Set(views.map(({ buffer }) => buffer))].filter((buffer) => !isMarkedAsUntransferable(buffer));
  // The cast is safe: `move` marks the object that it gets, and returns it with both symbols.
  return move({ [transferableSymbol]: memory, [valueSymbol]: answer }) as unknown as Moved<Answer>;
}
