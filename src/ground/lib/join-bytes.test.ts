import { expect, test } from 'vitest';
import { joinBytes } from './join-bytes.ts';

const piece = (length: number, byte: number) => Buffer.alloc(length, byte);

test('pieces of any size are joined in order, in memory that nothing else shares', async () => {
  for (const lengths of [[], [0], [1, 0, 2], [1_048_576, 1], [3_000_000, 5, 1_048_577]]) {
    const pieces = lengths.map((length, at) => piece(length, at + 1));
    const joined = await joinBytes(pieces);
    expect(joined.equals(Buffer.concat(pieces))).toBe(true);
    expect(joined.buffer.byteLength).toBe(joined.length);
  }
});

test('the event loop turns after each megabyte, for one piece and for many', async () => {
  for (const pieces of [[piece(5_242_880, 1)], Array.from({ length: 80 }, () => piece(65_536, 1))]) {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await joinBytes(pieces);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(4);
  }
});
