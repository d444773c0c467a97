import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { add, addDaysMax, between, isOpen, type OpeningHours, type Span } from './open-time.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');
const wallTime = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Spans of one day that do not overlap. */
const anyDay: fc.Arbitrary<Span[]> = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1_440 }), fc.constantFrom(0, 120, 150, 180, 1_440)), { maxLength: 6 })
  .map((edges) => {
    const sorted = edges.sort((one, other) => one - other);
    return Array.from({ length: Math.floor(sorted.length / 2) }, (_, i) => ({
      open: wallTime(sorted[2 * i] ?? 0),
      close: wallTime(sorted[2 * i + 1] ?? 0),
    }));
  });

/** An instant of a whole minute, mostly near a change of the zone's clocks. */
const anyInstant = (timeZone: string): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 1990 * 12, max: 2037 * 12 }), fc.integer({ min: -4_000, max: 4_000 }))
    .map(([month, off]) => {
      const start = Temporal.Instant.fromEpochMilliseconds(Date.UTC(0, month)).toZonedDateTimeISO(timeZone);
      return (start.getTimeZoneTransition('next') ?? start).epochMilliseconds + off * minuteMs;
    });

const anyCase = fc.constantFrom(...zones).chain((timeZone) =>
  anyInstant(timeZone).chain((from) => {
    const date = (days: number) => new Date(from + days * dayMs).toISOString().slice(0, 10);
    const day = fc.record({ date: fc.integer({ min: -3, max: 3 }).map(date), hours: fc.option(anyDay) });
    return fc.record({
      from: fc.constant(from),
      calendar: fc.record({
        timeZone: fc.constant(timeZone),
        hours: fc
          .array(anyDay, { minLength: 7, maxLength: 7 })
          .map((week) => week.flatMap((spans, index) => spans.map((span) => ({ day: index + 1, ...span })))),
        days: fc.uniqueArray(day, { selector: (each) => each.date, maxLength: 3 }),
      }),
    });
  }),
);

const simulatedDays = 3;

/** The open minutes of some days, found by asking the zone for the wall time of every minute. */
function simulate({ timeZone, hours, days }: OpeningHours, from: number): boolean[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const wallAt = (instant: number): number => {
    const [day, month, year, hour, minute] = clock.format(instant).split(/\D+/).map(Number);
    return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute);
  };
  const start = from - 3 * dayMs;
  const minutes = (simulatedDays + 6) * 1_440;
  const instantOf = new Map<number, number>();
  let last = wallAt(start) - minuteMs;
  for (let index = 0; index < minutes; index += 1) {
    const instant = start + index * minuteMs;
    const wall = wallAt(instant);
    // A skipped wall time is as much later as it is in the gap.
    for (let skipped = last + minuteMs, at = instant; skipped < wall; skipped += minuteMs, at += minuteMs)
      instantOf.set(skipped, at);
    if (!instantOf.has(wall)) instantOf.set(wall, instant);
    last = Math.max(last, wall);
  }
  const open = Array.from({ length: minutes }, () => false);
  for (let midnight = wallAt(start) - (wallAt(start) % dayMs); midnight <= last; midnight += dayMs) {
    const own = days.find(({ date }) => Date.parse(date) === midnight);
    const weekday = new Date(midnight).getUTCDay() || 7;
    for (const { open: opens, close } of own ? (own.hours ?? []) : hours.filter(({ day }) => day === weekday)) {
      const [begin, end] = [opens, close].map((text) =>
        instantOf.get(midnight + (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * minuteMs),
      );
      for (let at = begin ?? start; at < (end ?? start); at += minuteMs) open[(at - start) / minuteMs] = true;
    }
  }
  return open.slice(3 * 1_440, (3 + simulatedDays) * 1_440);
}

test('the open minutes are those of a simulator, in any zone and year', () => {
  fc.assert(
    fc.property(anyCase, ({ calendar, from }) => {
      const simulated = simulate(calendar, from);
      let open = 0;
      const counted = simulated.map((is) => {
        if (is) open += 1;
        return open * minuteMs;
      });
      const at = (index: number) => from + (index + 1) * minuteMs;
      expect(simulated.map((_, index) => between(calendar, from, at(index)))).toEqual(counted);
      expect(simulated.map((_, index) => isOpen(calendar, from + index * minuteMs))).toEqual(simulated);
    }),
    { numRuns: Number(process.env.CALENDAR_RUNS ?? 60) },
  );
});

test('adding is the inverse of counting, and follows its laws', () => {
  const anyMs = fc.oneof(fc.integer({ min: 0, max: 100 * 3_600_000 }), fc.constantFrom(0, 1, 3_600_000));
  fc.assert(
    fc.property(anyCase, anyMs, anyMs, ({ calendar, from }, one, other) => {
      const reached = add(calendar, from, one);
      if (reached === undefined) {
        expect(between(calendar, from, from + addDaysMax * dayMs)).toBeLessThan(one);
        return;
      }
      expect(between(calendar, from, reached)).toBe(one);
      // No earlier instant will do.
      if (one > 0) expect(isOpen(calendar, reached - 1)).toBe(true);
      expect(add(calendar, reached, other)).toBe(add(calendar, from, one + other));
      const later = add(calendar, from + other, one);
      if (later !== undefined) expect(later).toBeGreaterThanOrEqual(reached);
    }),
    { numRuns: 500 },
  );
});
