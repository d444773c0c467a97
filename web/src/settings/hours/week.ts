import { spokenLocale, words } from '../../words/words.ts';

/** Wall times of one day. A span until midnight closes at `24:00`. */
export type Span = { open: string; close: string };
export type WeekSpan = Span & { day: number };

/** From Monday (1) to Sunday (7), as the service counts. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

export function dayName(day: number, style: 'long' | 'short' = 'long'): string {
  // 1 January 2024 was a Monday.
  const date = new Date(Date.UTC(2024, 0, day));
  return new Intl.DateTimeFormat(spokenLocale(), { weekday: style, timeZone: 'UTC' }).format(date);
}

/** A week in one line: `Mon–Fri 09:00–17:00 · Sat 10:00–14:00`. */
export function weekWords(hours: readonly WeekSpan[]): string {
  const days = weekdays.map((day) =>
    hours
      .filter((span) => span.day === day)
      .map(spanWords)
      .join(', '),
  );
  const parts: string[] = [];
  for (let first = 0; first < days.length; ) {
    let end = first + 1;
    while (end < days.length && days[end] === days[first]) end += 1;
    const name = (at: number) => dayName(at + 1, 'short');
    const named = end - first === 1 ? name(first) : `${name(first)}–${name(end - 1)}`;
    if (days[first] !== '') parts.push(`${named} ${days[first]}`);
    first = end;
  }
  return parts.join(' · ') || words('hours.noWeek');
}

export const spanWords = ({ open, close }: Span): string => `${open}–${close}`;

/** Why spans of one day cannot be, as the service would refuse them. */
export function faultOf(spans: readonly Span[]): 'missing' | 'order' | 'overlap' | undefined {
  if (spans.some(({ open, close }) => open === '' || close === '')) return 'missing';
  if (spans.some(({ open, close }) => close <= open)) return 'order';
  const sorted = [...spans].sort((one, other) => (one.open < other.open ? -1 : 1));
  return sorted.some(({ open }, at) => open < (sorted[at - 1]?.close ?? '')) ? 'overlap' : undefined;
}

/** What a further span of a day begins with: office hours, or the afternoon after a break. */
export function nextSpan(spans: readonly Span[]): Span {
  const last = spans
    .map(({ close }) => close)
    .sort()
    .at(-1);
  if (last === undefined) return { open: '09:00', close: '17:00' };
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const text = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const open = minutes(last) + 60;
  return open >= 1_440 ? { open: '', close: '' } : { open: text(open), close: text(Math.min(open + 240, 1_440)) };
}
