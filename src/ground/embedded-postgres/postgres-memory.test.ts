import { expect, test } from 'vitest';
import { bufferMbOf } from './postgres-memory.ts';

const gb = 2 ** 30;

test.each([
  ['a quarter of the machine', 16 * gb, 0, 4_096],
  ['a quarter of the container', 64 * gb, 2 * gb, 512],
  ['a quarter of the machine if the container limit is larger', 8 * gb, 2 ** 64, 2_048],
  ["at least PostgreSQL's default", gb / 4, 0, 128],
  ['at most 8 GB', 256 * gb, 0, 8_192],
])('the embedded PostgreSQL buffers %s', (_what, total, constrained, megabytes) => {
  expect(bufferMbOf(total, constrained)).toBe(megabytes);
});
