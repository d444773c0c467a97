import { expect, test } from 'vitest';
import { restartDelayMs } from './restart-delay.ts';

test('a process that rarely ends is restarted after 100 ms, one that keeps ending after longer delays', () => {
  expect(restartDelayMs([5_000])).toBe(100);
  expect(restartDelayMs([0, 3_600_000])).toBe(100);
  expect([2, 3, 4].map((endings) => restartDelayMs(Array.from({ length: endings }, (_, index) => index)))).toEqual([
    200, 400, 800,
  ]);
});

test('restarts stop after many endings within a minute, but not after as many over hours', () => {
  expect(restartDelayMs(Array.from({ length: 20 }, (_, index) => index * 100))).toBeUndefined();
  expect(restartDelayMs(Array.from({ length: 20 }, (_, index) => index * 60_000))).toBe(100);
});
