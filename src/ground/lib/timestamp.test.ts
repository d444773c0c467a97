import { expect, test } from 'vitest';
import { isTimestamp } from './timestamp.ts';

test.each([
  '2026-11-21T14:48:31Z',
  '2026-11-21t14:48:31.123456789z',
  '2024-02-29T00:00:00+05:30',
  '2000-02-29T23:59:59-15:59',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
])('%s is a time', (text) => {
  expect(isTimestamp(text)).toBe(true);
});

test.each([
  ['a day that does not exist', '2026-02-30T00:00:00Z'],
  ['a leap day of a common year', '2100-02-29T00:00:00Z'],
  ['the year 0', '0000-01-01T00:00:00Z'],
  ['no zone', '2026-11-21T14:48:31'],
  ['an offset that does not exist', '2026-11-21T14:48:31-16:00'],
  ['no time', '2026-11-21'],
  ['the hour 24', '2026-11-21T24:00:00Z'],
  ['a leap second', '2016-12-31T23:59:60Z'],
  ['a zone name', '2026-11-21T14:48:31Z[Europe/Berlin]'],
  ['a calendar name', '2026-11-21T14:48:31Z[u-ca=hebrew]'],
  ['a six-digit year', '+012026-11-21T14:48:31Z'],
  ['words', 'infinity'],
  ['nothing', ''],
])('with %s, %s is not a time', (_what, text) => {
  expect(isTimestamp(text)).toBe(false);
});
