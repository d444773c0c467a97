import { expect, test } from 'vitest';
import { restartDelayMs } from './restart-delay.ts';

test('a process that ended once in a while is started at once, one after the other ever later', () => {
  expect(restartDelayMs([5_000])).toBe(100);
  expect(restartDelayMs([0, 3_600_000])).toBe(100);
  expect([2, 3, 4].map((endings) => restartDelayMs(Array.from({ length: endings }, (_, index) => index)))).toEqual([
    200, 400, 800,
  ]);
});

test('it is given up when they end again and again within a minute, and not when they do so over hours', () => {
  expect(restartDelayMs(Array.from({ length: 20 }, (_, index) => index * 100))).toBeUndefined();
  expect(restartDelayMs(Array.from({ length: 20 }, (_, index) => index * 60_000))).toBe(100);
});
