import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { add, between, isOpen, type OpeningHours, opensWithin, stateAt } from './open-time.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const workdays = everyDay.slice(0, 5);
const spans = (days: number[], ...texts: string[]) =>
  days.flatMap((day) =>
    texts.map((text) => {
      const [open = '', close = ''] = text.split('-');
      return { day, open, close };
    }),
  );
const at = (text: string): number => Date.parse(`${text}${text.length === 16 ? ':00' : ''}Z`);
const told = (instant: number | undefined): string => new Date(instant ?? Number.NaN).toISOString().slice(0, 19);

const office: OpeningHours = { timeZone: 'Europe/Berlin', hours: spans(workdays, '09:00-17:00'), days: [] };
const nights = { ...office, hours: spans(everyDay, '22:00-24:00', '00:00-06:00') };
const split = { ...office, hours: spans(workdays, '08:00-12:00', '13:30-18:00') };
const early = { ...office, hours: spans(everyDay, '02:30-05:00') };
const always = (timeZone: string): OpeningHours => ({ timeZone, hours: spans(everyDay, '00:00-24:00'), days: [] });
const withChristmas = { ...office, days: [{ date: '2026-12-25', hours: null }] };
const inSunday = (timeZone: string): OpeningHours => ({ timeZone, hours: spans([7], '09:00-17:00'), days: [] });
const hour = 3_600;

test.each<[string, OpeningHours, string, number, string]>([
  ['over a weekend in which clocks go back', office, '2026-10-23T14:30', hour, '2026-10-26T08:30:00'],
  ['over a weekend in which clocks go forward', office, '2027-03-26T15:30', hour, '2027-03-29T07:30:00'],
  ['through an hour that comes twice', always('America/New_York'), '2026-11-01T04:30', 4 * hour, '2026-11-01T08:30:00'],
  ['in a night of seven hours', nights, '2027-03-27T21:00', 8 * hour, '2027-03-28T21:00:00'],
  ['over a break', split, '2026-11-23T10:30', 90 * 60, '2026-11-23T13:30:00'],
  ['from a wall time that is skipped', early, '2027-03-28T00:00', 5_400, '2027-03-28T03:00:00'],
  ['a second more', early, '2027-03-28T00:00', 5_401, '2027-03-29T00:30:01'],
  ['over a holiday', withChristmas, '2026-12-24T15:00', 2 * hour, '2026-12-28T09:00:00'],
  ['over a midnight that is skipped', always('America/Santiago'), '2026-09-06T03:00', 2 * hour, '2026-09-06T05:00:00'],
  ['with a zone of half an hour', inSunday('Asia/Kolkata'), '2026-10-10T20:00', hour, '2026-10-11T04:30:00'],
  ['over a change by half an hour', always('Australia/Lord_Howe'), '2026-10-03T14:00', 4 * hour, '2026-10-03T18:00:00'],
  ['exactly to the close', office, '2026-11-23T15:00', hour, '2026-11-23T16:00:00'],
  ['one minute after it', office, '2026-11-23T16:00', 60, '2026-11-24T08:01:00'],
  ['over a weekend', office, '2026-11-20T15:00', 2 * hour, '2026-11-23T09:00:00'],
])('adds open time %s', (_name, calendar, from, seconds, expected) => {
  const reached = add(calendar, at(from), seconds * 1_000);
  expect(told(reached)).toBe(expected);
  expect(between(calendar, at(from), reached ?? 0)).toBe(seconds * 1_000);
});

test('a pause moves the end by the open time that it took', () => {
  const resumed = (from: string, seconds: number, [pause, end]: [string, string]) => {
    const spent = between(office, at(from), at(pause));
    return told(add(office, at(end), seconds * 1_000 - spent));
  };
  expect(resumed('2026-11-23T09:00', 4 * hour, ['2026-11-23T10:00', '2026-11-23T14:00'])).toBe('2026-11-24T09:00:00');
  expect(resumed('2026-11-20T15:00', 2 * hour, ['2026-11-20T16:00', '2026-11-23T06:00'])).toBe('2026-11-23T09:00:00');
});

test('says whether a calendar is open, and when that ends', () => {
  const said = (calendar: OpeningHours, text: string) => {
    const { isOpen: open, until } = stateAt(calendar, at(text));
    expect(isOpen(calendar, at(text))).toBe(open);
    return `${open ? 'open' : 'closed'} ${until === undefined ? 'for long' : told(until)}`;
  };
  expect(said(office, '2026-11-23T07:59:59')).toBe('closed 2026-11-23T08:00:00');
  expect(said(office, '2026-11-23T08:00')).toBe('open 2026-11-23T16:00:00');
  expect(said(office, '2026-11-23T16:00')).toBe('closed 2026-11-24T08:00:00');
  expect(said(nights, '2026-11-23T21:30')).toBe('open 2026-11-24T05:00:00');
  expect(said(always('UTC'), '2026-11-23T21:30')).toBe('open for long');
  expect(said({ ...office, hours: [] }, '2026-11-23T21:30')).toBe('closed for long');
});

test('a calendar that never opens again ends the search', () => {
  const once = { ...office, hours: [], days: [{ date: '2026-12-25', hours: [{ open: '10:00', close: '11:00' }] }] };
  expect(opensWithin(once, at('2026-11-23T00:00'))).toBe(true);
  expect(opensWithin(once, at('2026-12-25T10:00'))).toBe(false);
  expect(opensWithin(once, at('2025-12-01T00:00'))).toBe(false);
  expect(told(add(once, at('2026-11-23T00:00'), hour * 1_000))).toBe('2026-12-25T10:00:00');
  expect(add(once, at('2026-11-23T00:00'), hour * 1_000 + 1)).toBeUndefined();
});

test('a day that a zone skips opens the same hours of the next once', () => {
  // Apia had no 30 December 2011.
  const apia = { ...always('Pacific/Apia'), hours: spans(everyDay, '08:00-18:00') };
  const hours = [0, 1, 2, 3].map((day) => {
    const from = Temporal.ZonedDateTime.from(`2011-12-29T00:00[Pacific/Apia]`).add({ hours: 24 * day });
    return between(apia, from.epochMilliseconds, from.epochMilliseconds + 86_400_000) / 3_600_000;
  });
  expect(hours).toEqual([10, 10, 10, 10]);
});
