import { browserTimeZone } from '../../lib/dates.ts';
import type { Calendar } from './queries.ts';
import { faultOf, type Span, weekdays } from './week.ts';

/** A special day in the form. The key stays while its date changes. */
export type DayFields = { key: number; date: string; name: string; hours: readonly Span[] | null };
/** What the form of a calendar holds: the spans of each weekday, from Monday on. */
export type HoursFields = {
  name: string;
  timeZone: string;
  week: readonly (readonly Span[])[];
  days: readonly DayFields[];
};

let made = 0;

export function dayFields(day: Omit<DayFields, 'key'>): DayFields {
  made += 1;
  return { key: made, ...day };
}

export function newHours(): HoursFields {
  const week = weekdays.map((day) => (day <= 5 ? [{ open: '09:00', close: '17:00' }] : []));
  return { name: '', timeZone: browserTimeZone(), week, days: [] };
}

export function fieldsOf({ name, timeZone, hours, days }: Calendar): HoursFields {
  const week = weekdays.map((day) =>
    hours.filter((span) => span.day === day).map(({ open, close }) => ({ open, close })),
  );
  return { name, timeZone, week, days: days.map(dayFields) };
}

export function bodyOf({ name, timeZone, week, days }: HoursFields) {
  return {
    name: name.trim(),
    timeZone,
    hours: week.flatMap((spans, index) => spans.map((span) => ({ day: index + 1, ...span }))),
    days: days.map(({ date, name: called, hours }) => ({ date, name: called.trim(), hours: hours && [...hours] })),
  };
}

/** Whether the service would take the spans and dates. */
export function isComplete({ week, days }: HoursFields): boolean {
  const dates = days.map(({ date }) => date);
  const spans = [...week, ...days.flatMap(({ hours }) => (hours === null ? [] : [hours]))];
  return (
    spans.every((each) => faultOf(each) === undefined) && !dates.includes('') && new Set(dates).size === dates.length
  );
}

/** The name of a zone as the browser writes it, from how a person types it: `berlin` or `europe/berlin`. */
export function readZone(typed: string): string | undefined {
  const folded = fold(typed);
  const zones = timeZones();
  const exact = zones.find((zone) => fold(zone) === folded);
  if (exact !== undefined) return exact;
  const found = zones.filter((zone) => fold(zone.split('/').at(-1) ?? '') === folded);
  if (found.length === 1) return found[0];
  try {
    // Zones under a former name, and UTC, which browsers do not list.
    return /^[a-z]/i.test(typed.trim())
      ? new Intl.DateTimeFormat('en', { timeZone: typed.trim() }).resolvedOptions().timeZone
      : undefined;
  } catch {
    return undefined;
  }
}

const fold = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ');

export function timeZones(): string[] {
  return Intl.supportedValuesOf('timeZone');
}
