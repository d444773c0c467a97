import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSnooze, snoozePresets } from './snooze-words.ts';
import { instantOf, localTime } from './zoned-time.ts';

/** Sunday, 22 November 2026, 18:00 in Berlin. */
const now = new Date('2026-11-22T17:00:00Z');
const zone = 'Europe/Berlin';
const shown = (at: Date | undefined) =>
  at?.toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });

test.each([
  ['tue 15', 'Tue 24 Nov, 15:00'],
  ['Tuesday at 3pm', 'Tue 24 Nov, 15:00'],
  ['tue 9:30', 'Tue 24 Nov, 09:30'],
  ['sun 20', 'Sun 22 Nov, 20:00'],
  ['sun', 'Sun 29 Nov, 08:00'],
  ['next fri', 'Fri 27 Nov, 08:00'],
  ['next sunday', 'Sun 29 Nov, 08:00'],
  ['2d', 'Tue 24 Nov, 08:00'],
  ['in 3 weeks', 'Sun 13 Dec, 08:00'],
  ['a month', 'Tue 22 Dec, 08:00'],
  ['in an hour', 'Sun 22 Nov, 19:00'],
  ['30 min', 'Sun 22 Nov, 18:30'],
  ['4h', 'Sun 22 Nov, 22:00'],
  ['tomorrow 8', 'Mon 23 Nov, 08:00'],
  ['tomorrow', 'Mon 23 Nov, 08:00'],
  ['tomorrow at noon', 'Mon 23 Nov, 12:00'],
  ['tonight', 'Sun 22 Nov, 19:00'],
  ['19', 'Sun 22 Nov, 19:00'],
  ['7am', 'Mon 23 Nov, 07:00'],
  ['next week', 'Mon 23 Nov, 08:00'],
  ['next month', 'Tue 22 Dec, 08:00'],
  ['weekend', 'Sat 28 Nov, 10:00'],
  ['24 dec', 'Thu 24 Dec, 08:00'],
  ['dec 24 14:15', 'Thu 24 Dec, 14:15'],
  ['24.12. 9', 'Thu 24 Dec, 09:00'],
  ['2026-12-01', 'Tue 1 Dec, 08:00'],
  ['the day after tomorrow 9', 'Tue 24 Nov, 09:00'],
  ['morgen 9', 'Mon 23 Nov, 09:00'],
  ['Übermorgen um 8 Uhr', 'Tue 24 Nov, 08:00'],
  ['nächsten Montag', 'Mon 23 Nov, 08:00'],
  ['kommenden Freitag', 'Fri 27 Nov, 08:00'],
  ['nächste Woche Mittwoch', 'Wed 25 Nov, 08:00'],
  ['Di. 15 Uhr', 'Tue 24 Nov, 15:00'],
  ['Dienstag um halb 10', 'Tue 24 Nov, 09:30'],
  ['Montag früh', 'Mon 23 Nov, 08:00'],
  ['Freitag Abend', 'Fri 27 Nov, 19:00'],
  ['heute Abend', 'Sun 22 Nov, 19:00'],
  ['morgen Mittag', 'Mon 23 Nov, 12:00'],
  ['in zwei Tagen', 'Tue 24 Nov, 08:00'],
  ['in einer halben Stunde', 'Sun 22 Nov, 18:30'],
  ['in 3 Wochen', 'Sun 13 Dec, 08:00'],
  ['nächsten Monat', 'Tue 22 Dec, 08:00'],
  ['am Wochenende', 'Sat 28 Nov, 10:00'],
  ['24. Dez. 9', 'Thu 24 Dec, 09:00'],
  ['am 24.12. um 9 Uhr 30', 'Thu 24 Dec, 09:30'],
])('"%s" is %s', (words, expected) => {
  expect(shown(readSnooze(words, now, zone))).toBe(expected);
});

test.each([
  '',
  'soon',
  'yesterday',
  '25:00',
  '31 feb',
  '2026-11-01',
  'mondays',
  'today',
  'tue 99',
  'irgendwann',
  'gestern',
])('"%s" is not a future time', (words) => {
  expect(readSnooze(words, now, zone)).toBeUndefined();
});

test('the presets lie ahead, in the order of time, on the clock of the zone', () => {
  expect(snoozePresets(now, zone).map(({ name, at }) => `${name} ${shown(at)}`)).toEqual([
    'evening Sun 22 Nov, 19:00',
    'hours Sun 22 Nov, 21:00',
    'tomorrow Mon 23 Nov, 08:00',
    'weekend Sat 28 Nov, 10:00',
  ]);
  const [first] = snoozePresets(new Date('2026-11-23T07:30:00Z'), 'America/New_York');
  expect(first?.at.toISOString()).toBe('2026-11-23T10:30:00.000Z');
});

test('a day keeps its hour across the change to summer time', () => {
  const saturday = new Date('2027-03-27T12:00:00Z');
  expect(readSnooze('tomorrow 8', saturday, zone)?.toISOString()).toBe('2027-03-28T06:00:00.000Z');
  // 02:30 does not exist that night.
  expect(readSnooze('tomorrow 2:30', saturday, zone)?.toISOString()).toBe('2027-03-28T01:30:00.000Z');
});

test('instantOf finds the instant that localTime was made from', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC');
  const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 });
  fc.assert(
    fc.property(minutes, zones, (minute, timeZone) => {
      const at = new Date(minute * 60_000);
      const local = localTime(at, timeZone);
      expect(localTime(instantOf(local, timeZone), timeZone)).toEqual(local);
    }),
  );
});
