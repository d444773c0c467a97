import { Temporal } from 'temporal-polyfill';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { type OpeningHours, openingDaysMax, opensWithin, type Span } from './open-time.ts';
import type { Calendar } from './schema.ts';

export type Hours = Pick<Calendar, 'timeZone' | 'hours' | 'days'>;

/** The hours in their order. Throws 400 for a zone that does not exist, wrong spans, and dates that are there twice. */
export function orderedHours({ timeZone, hours, days }: Hours): Hours {
  return { timeZone: readTimeZone(timeZone), hours: orderedWeek(hours), days: orderedDays(days) };
}

/** Throws 400 for hours in which nothing would ever be due. */
export function refuseNeverOpen(hours: OpeningHours, now: Date): void {
  if (!opensWithin(hours, now.getTime()))
    throw invalidRequest({ path: 'body.hours', key: 'never_open', params: { days: openingDaysMax } });
}

/** As the time zone database writes it. It has no offsets, which say nothing of a summer time. */
function readTimeZone(name: string): string {
  try {
    if (/^[A-Za-z][\w+\-/]*$/.test(name))
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw invalidRequest({ path: 'body.timeZone', key: 'not_a_time_zone' });
}

function orderedWeek(hours: Hours['hours']): Hours['hours'] {
  const named = hours.map((span, index) => ({ span, path: `body.hours.${index}` }));
  named.sort(({ span: one }, { span: other }) => one.day - other.day || byOpening(one, other));
  named.forEach(({ span, path }, place) => {
    const before = named[place - 1]?.span;
    refuseWrongSpan(span, path, before?.day === span.day ? before : undefined);
  });
  return named.map(({ span: { day, open, close } }) => ({ day, open, close }));
}

function orderedDays(days: Hours['days']): Hours['days'] {
  const seen = new Set<string>();
  return days
    .map(({ date, name, hours }, index) => {
      const path = `body.days.${index}`;
      if (seen.has(date)) throw invalidRequest({ path: `${path}.date`, key: 'same_date' });
      seen.add(date);
      return { date, name, hours: hours === null ? null : orderedSpans(hours, `${path}.hours`) };
    })
    .sort((one, other) => (one.date < other.date ? -1 : 1));
}

function orderedSpans(spans: readonly Span[], path: string): Span[] {
  const named = spans.map((span, index) => ({ span, path: `${path}.${index}` }));
  named.sort(({ span: one }, { span: other }) => byOpening(one, other));
  named.forEach(({ span, path: at }, place) => {
    refuseWrongSpan(span, at, named[place - 1]?.span);
  });
  return named.map(({ span: { open, close } }) => ({ open, close }));
}

const byOpening = (one: Span, other: Span): number => (one.open < other.open ? -1 : one.open > other.open ? 1 : 0);

/** @param before the span of the same day that opens before */
function refuseWrongSpan(span: Span, path: string, before: Span | undefined): void {
  if (span.close <= span.open) throw invalidRequest({ path: `${path}.close`, key: 'not_after_open' });
  if (before !== undefined && span.open < before.close) throw invalidRequest({ path, key: 'spans_overlap' });
}
