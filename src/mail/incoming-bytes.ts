import { joinBytes } from '../lib/join-bytes.ts';

/** So many bytes that all mails which come in at a time may hold together. */
export type ByteBudget = { add(bytes: number): void; isOver(more?: number): boolean };

export function byteBudget(bytesMax: number): ByteBudget {
  let held = 0;
  return {
    add: (bytes) => {
      held += bytes;
    },
    isOver: (more = 0) => held + more > bytesMax,
  };
}

/** A chunk costs its object beside its bytes: of a client that sends byte by byte they are put together as they come. */
const smallChunksMax = 1_024;

/**
 * Reads a stream to its end, holding what it says within the budget; what exceeds the budget, or `isTooLarge`, is let go,
 * and the rest is read and dropped. The bytes count until `keep` has settled.
 * Throws what the stream or `keep` throws.
 */
export async function readWithin<Result>(
  stream: AsyncIterable<Buffer>,
  { budget, isTooLarge }: { budget: ByteBudget; isTooLarge: () => boolean },
  keep: (bytes: Buffer) => Promise<Result>,
): Promise<Result | 'too-large' | 'over-budget'> {
  let pieces: Buffer[] = [];
  let small: Buffer[] = [];
  let held = 0;
  let fault: 'too-large' | 'over-budget' | undefined;
  const count = (bytes: number) => {
    held += bytes;
    budget.add(bytes);
  };
  try {
    for await (const chunk of stream) {
      if (fault !== undefined) continue;
      count(chunk.length);
      small.push(chunk);
      if (small.length >= smallChunksMax) pieces.push(Buffer.concat(small.splice(0)));
      if (!isTooLarge() && !budget.isOver()) continue;
      fault = isTooLarge() ? 'too-large' : 'over-budget';
      count(-held);
      pieces = [];
      small = [];
    }
    if (fault !== undefined) return fault;
    const whole = await joinBytes([...pieces, ...small]);
    pieces = [];
    small = [];
    return await keep(whole);
  } finally {
    count(-held);
  }
}
