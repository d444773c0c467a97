import { isMarkedAsUntransferable } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** An answer of a worker thread, and the memory that moves along. */
export type Moved<Answer> = { readonly [valueSymbol]: Answer };

/** @param views bytes within `answer` whose memory moves to the asker instead of being copied */
export function moved<Answer extends object>(answer: Answer, views: readonly Uint8Array[]): Moved<Answer> {
  // Small buffers of node's share a pool, which cannot move.
  const memory = [...new Set(views.map(({ buffer }) => buffer))].filter((buffer) => !isMarkedAsUntransferable(buffer));
  // What is given is an object with the two symbols, which `move` marks and returns.
  return move({ [transferableSymbol]: memory, [valueSymbol]: answer }) as unknown as Moved<Answer>;
}
