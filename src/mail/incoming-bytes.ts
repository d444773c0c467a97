import { joinBytes } from '../ground/lib/join-bytes.ts';

/** A shared limit on the bytes that all incoming mails together hold in memory. */
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

/** Joins this many chunks into a piece, because a client may send byte by byte, and each chunk costs an object. */
const chunksOfPiece = 1_024;

/**
 * Reads a stream to its end and holds its bytes within the budget. Drops all bytes once the mail exceeds the budget or
 * `isTooLarge` holds, but still reads the rest. The bytes count against the budget until `keep` settles.
 * Throws the errors of the stream and of `keep`.
 */
export async function readWithin<Result>(
  stream: AsyncIterable<Buffer>,
  { budget, isTooLarge }: { budget: ByteBudget; isTooLarge: () => boolean },
  keep: (bytes: Buffer) => Promise<Result>,
): Promise<Result | 'too-large' | 'over-budget'> {
  let pieces: Buffer[] = [];
  let chunks: Buffer[] = [];
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
      chunks.push(chunk);
      if (chunks.length >= chunksOfPiece) pieces.push(Buffer.concat(chunks.splice(0)));
      if (!isTooLarge() && !budget.isOver()) continue;
      fault = isTooLarge() ? 'too-large' : 'over-budget';
      count(-held);
      pieces = [];
      chunks = [];
    }
    if (fault !== undefined) return fault;
    const whole = await joinBytes([...pieces, ...chunks]);
    // Frees the pieces, so that `keep` runs with one copy in memory.
    pieces = [];
    chunks = [];
    return await keep(whole);
  } finally {
    count(-held);
  }
}
