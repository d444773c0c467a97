import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttleByKey } from './throttle-by-key.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a burst runs the work at once and once more at the end, however many calls it has', () => {
  const done: number[] = [];
  const ask = throttleByKey(1_000);
  for (let event = 0; event < 50; event += 1) {
    ask('ticket', () => done.push(event));
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(5_000);
  expect(done).toEqual([0, 49]);
});

test('endless calls run the work once in each span', () => {
  let done = 0;
  const ask = throttleByKey(1_000);
  for (let tenth = 0; tenth < 50; tenth += 1) {
    ask('counts', () => {
      done += 1;
    });
    vi.advanceTimersByTime(100);
  }
  expect(done).toBe(6);
});

test('each key has a span of its own', () => {
  const done: string[] = [];
  const ask = throttleByKey(1_000);
  for (const key of ['a', 'b', 'a']) ask(key, () => done.push(key));
  expect(done).toEqual(['a', 'b']);
});
