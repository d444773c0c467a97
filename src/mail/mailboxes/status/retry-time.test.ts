import { expect, test } from 'vitest';
import { nextRetryAt } from './retry-time.ts';

test('a mailbox in error is read again after 1, 2, 5, 15 and 60 minutes, then every hour', () => {
  const since = new Date('2026-11-20T10:00:00.000Z');
  const waits: number[] = [];
  for (let now = since; waits.length < 7; ) {
    const next = nextRetryAt(since, now);
    waits.push((next.getTime() - now.getTime()) / 60_000);
    now = next;
  }
  expect(waits).toEqual([1, 2, 5, 15, 60, 60, 60]);
});

test('an early retry does not delay the next one', () => {
  const since = new Date('2026-11-20T10:00:00.000Z');
  const early = new Date(since.getTime() + 4 * 60_000);
  expect(nextRetryAt(since, early)).toEqual(new Date(since.getTime() + 8 * 60_000));
});
