import { expect, test } from 'vitest';
import { shortTime } from './dates.ts';

const now = new Date(2026, 10, 22, 18, 0);

test.each([
  [new Date(2026, 10, 22, 9, 5), '09:05'],
  [new Date(2026, 10, 21, 23, 0), 'Nov 21'],
  [new Date(2025, 0, 2), 'Jan 2, 2025'],
])('%s is shown as %s', (at, shown) => {
  expect(shortTime(at.toISOString(), now)).toBe(shown);
});
