import { memberTimeZone } from '../lib/dates.ts';

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
function today(now = new Date()): Day {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: memberTimeZone(), dateStyle: 'short' });
  return parts.format(now);
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
  const utc = Date.parse(`${day}T00:00:00Z`);
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const offsetAt = (at: number) => {
    const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
    const shown = Date.UTC(
      ...([Number(parts.year), Number(parts.month) - 1, Number(parts.day)] as [number, number, number]),
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    );
    return shown - at;
  };
  // The offset at a first guess may be that of before a change of the clocks.
  const guess = utc - offsetAt(utc);
  return new Date(utc - offsetAt(guess)).toISOString();
}
