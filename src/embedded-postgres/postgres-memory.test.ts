import { expect, test } from 'vitest';
import { bufferMbOf } from './postgres-memory.ts';

const gb = 2 ** 30;

test.each([
  ['a quarter of the machine', 16 * gb, 0, 4_096],
  ['a quarter of the container', 64 * gb, 2 * gb, 512],
  ['no more than the machine has, whatever the container may', 8 * gb, 2 ** 64, 2_048],
  ['what PostgreSQL takes by itself at least', gb / 4, 0, 128],
  ['no more than 8 GB', 256 * gb, 0, 8_192],
])('the embedded PostgreSQL keeps in memory %s', (_what, total, constrained, megabytes) => {
  expect(bufferMbOf(total, constrained)).toBe(megabytes);
});
