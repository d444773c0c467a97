import { expect, test } from 'vitest';
import { snoozePresets } from './snooze-presets.ts';

const timesOf = (now: Date) => snoozePresets(now).map(({ at }) => at);

test('every preset lies ahead, the soonest first', () => {
  const now = new Date(2026, 10, 20, 14, 30);
  const times = timesOf(now);
  expect(times).toEqual([...times].sort((a, b) => a.getTime() - b.getTime()));
  expect(times.every((at) => at > now)).toBe(true);
});

test('tomorrow is tomorrow at eight, whatever the hour is', () => {
  expect(timesOf(new Date(2026, 10, 20, 23, 59))).toContainEqual(new Date(2026, 10, 21, 8));
});

test('on a Monday the next Monday is meant, on a Saturday the next Saturday', () => {
  expect(timesOf(new Date(2026, 10, 23, 7))).toContainEqual(new Date(2026, 10, 30, 8));
  expect(timesOf(new Date(2026, 10, 21, 9))).toContainEqual(new Date(2026, 10, 28, 10));
});
