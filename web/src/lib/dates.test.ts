import { expect, test } from 'vitest';
import { ageWords, datedTime, fullTime, rowTime, shortTime, soonTime } from './dates.ts';

const now = new Date(2026, 10, 22, 18, 0);

test.each([
  [new Date(2026, 10, 22, 9, 5), '09:05'],
  [new Date(2026, 10, 21, 23, 0), 'Nov 21'],
  [new Date(2025, 0, 2), 'Jan 2, 2025'],
])('%s is shown as %s', (at, shown) => {
  expect(shortTime(at.toISOString(), now)).toBe(shown);
});

test.each([
  [new Date(2026, 10, 22, 9, 5), '09:05'],
  [new Date(2026, 10, 21, 23, 0), 'Sat'],
  [new Date(2026, 10, 17, 9, 0), 'Tue'],
  [new Date(2026, 10, 16, 9, 0), 'Nov 16'],
  [new Date(2025, 10, 22, 9, 0), 'Nov 22, 2025'],
])('%s is shown as %s in a list', (at, shown) => {
  expect(rowTime(at.toISOString(), now)).toBe(shown);
});

test.each([
  [new Date(2026, 10, 22, 19, 0), '19:00'],
  [new Date(2026, 10, 23, 8, 0), 'Mon 08:00'],
  [new Date(2026, 10, 28, 10, 0), 'Sat 10:00'],
  [new Date(2026, 10, 29, 8, 0), 'Sun, Nov 29, 08:00'],
])('in few words, %s is %s', (at, shown) => {
  expect(soonTime(at, now)).toBe(shown);
});

test('every clock has 24 hours', () => {
  const at = new Date(2026, 10, 22, 18, 5).toISOString();
  expect(fullTime(at)).toBe('Sunday, November 22, 2026 at 18:05');
  expect(datedTime(at)).toBe('Nov 22, 2026, 18:05');
});

test.each([
  ['2026-03-02T10:00:30Z', '0m'],
  ['2026-03-02T09:01:00Z', '59m'],
  ['2026-03-02T08:00:00Z', '2h'],
  ['2026-02-28T09:00:00Z', '2d'],
])('a ticket that waits since %s has waited %s', (since, expected) => {
  expect(ageWords(since, new Date('2026-03-02T10:00:00Z'))).toBe(expected);
});
