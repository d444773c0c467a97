import { memberTimeZone } from '../lib/dates.ts';
import { instantOf, localTime } from '../lib/zoned-time.ts';

/** The time of a report, as the address of the page has it. Pure, but for the zone of days. */

export const spans = ['7', '30', '90', 'month', 'lastMonth', 'year', 'days'] as const;
export type SpanName = (typeof spans)[number];
export type Day = string;

export type Range = {
  span: SpanName;
  /** The first and the last day, both included. */
  first: Day;
  last: Day;
};

const dayMs = 86_400_000;
const isDay = (text: string | null): text is Day => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Today in the zone of the member. */
function today(): Day {
  const { year, month, day } = localTime(new Date(), memberTimeZone());
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The range that parameters name; without any, the last 30 days. */
export function readRange(search: URLSearchParams, now: Day = today()): Range {
  const span = spans.find((name) => name === search.get('span')) ?? '30';
  const [first, last] = [search.get('first'), search.get('last')];
  if (span === 'days' && isDay(first) && isDay(last) && first <= last) return { span, first, last };
  return { span: span === 'days' ? '30' : span, ...daysOf(span, now) };
}

function daysOf(span: SpanName, now: Day): { first: Day; last: Day } {
  const month = now.slice(0, 7);
  if (span === 'month') return { first: `${month}-01`, last: now };
  if (span === 'year') return { first: `${now.slice(0, 4)}-01-01`, last: now };
  if (span === 'lastMonth') {
    const last = addDays(`${month}-01`, -1);
    return { first: `${last.slice(0, 7)}-01`, last };
  }
  return { first: addDays(now, 1 - Number(span === 'days' ? 30 : span)), last: now };
}

/** Short ranges are divided by day, long ones by week or month. */
export function intervalOf({ first, last }: Range): 'day' | 'week' | 'month' {
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  return days <= 45 ? 'day' : days <= 200 ? 'week' : 'month';
}

/** The instants at which a range begins and ends. */
export function instantsOf({ first, last }: Range, timeZone = memberTimeZone()): { from: string; to: string } {
  return { from: midnight(first, timeZone), to: midnight(addDays(last, 1), timeZone) };
}

/** The instant at which a day begins in a zone. */
export function midnight(day: Day, timeZone: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return instantOf({ year, month, day: date, hour: 0, minute: 0 }, timeZone).toISOString();
}
