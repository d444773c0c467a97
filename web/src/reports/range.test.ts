import { expect, test } from 'vitest';
import { addDays, instantsOf, intervalOf, midnight, readRange } from './range.ts';

const at = (search: string, now = '2026-11-30') => readRange(new URLSearchParams(search), now);

test.each([
  ['', '2026-11-01', '2026-11-30'],
  ['span=7', '2026-11-24', '2026-11-30'],
  ['span=month', '2026-11-01', '2026-11-30'],
  ['span=lastMonth', '2026-10-01', '2026-10-31'],
  ['span=year', '2026-01-01', '2026-11-30'],
  ['span=days&first=2026-02-01&last=2026-02-03', '2026-02-01', '2026-02-03'],
  ['span=days&first=2026-02-03&last=2026-02-01', '2026-11-01', '2026-11-30'],
  ['span=days&first=today', '2026-11-01', '2026-11-30'],
  ['span=decade', '2026-11-01', '2026-11-30'],
])('%s is from %s to %s', (search, first, last) => {
  expect(at(search)).toMatchObject({ first, last });
});

test('a day begins at midnight of its zone, also around a change of the clocks', () => {
  expect(midnight('2026-11-30', 'Europe/Berlin')).toBe('2026-11-29T23:00:00.000Z');
  expect(midnight('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
  expect(midnight('2026-03-30', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z');
  expect(midnight('2026-11-01', 'America/New_York')).toBe('2026-11-01T04:00:00.000Z');
  expect(midnight('2026-11-02', 'America/New_York')).toBe('2026-11-02T05:00:00.000Z');
  expect(midnight('2026-11-30', 'Asia/Kolkata')).toBe('2026-11-29T18:30:00.000Z');
});

test('a range ends with its last day', () => {
  expect(instantsOf(at('span=7'), 'UTC')).toEqual({ from: '2026-11-24T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' });
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
  expect([intervalOf(at('')), intervalOf(at('span=90')), intervalOf(at('span=year'))]).toEqual([
    'day',
    'week',
    'month',
  ]);
});
