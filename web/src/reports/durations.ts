import { spokenLocale, words } from '../words/words.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function unitWords(count: number, unit: string): string {
  return new Intl.NumberFormat(spokenLocale(), { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

/** A duration in its two largest units: `2 hr 10 min`, in German `2 Std. 10 Min.` A dash for none. */
export function durationWords(seconds: number | null): string {
  if (seconds === null) return '–';
  const at = units.findIndex(([, length]) => seconds >= length);
  const [unit, length] = units[at] ?? units[3];
  const next = units[at + 1];
  const whole = Math.floor(seconds / length);
  const first = unitWords(whole, unit);
  // Ten days and an hour are ten days.
  if (next === undefined || unit === 'second' || unit === 'minute' || whole >= 10) return first;
  const rest = Math.floor((seconds - whole * length) / next[1]);
  return rest === 0 ? first : `${first} ${unitWords(rest, next[0])}`;
}

/** How a figure compares with the time before. Undefined: nothing to compare. */
export type Trend = { text: string; isBetter: boolean | undefined; isUp: boolean } | undefined;

export function durationTrend(now: number | null, before: number | null): Trend {
  if (now === null || before === null) return undefined;
  const isUp = now > before;
  // A difference below a twentieth says nothing.
  if (Math.abs(now - before) < Math.max(60, before / 20))
    return { text: words('reports.same'), isBetter: undefined, isUp };
  const span = durationWords(Math.abs(now - before));
  return { text: words(isUp ? 'reports.slower' : 'reports.faster', { span }), isBetter: !isUp, isUp };
}

export function countTrend(now: number, before: number): Trend {
  if (before === 0) return undefined;
  const percent = Math.round((100 * (now - before)) / before);
  const change = new Intl.NumberFormat(spokenLocale(), { style: 'percent' }).format(Math.abs(percent) / 100);
  return { text: change, isBetter: undefined, isUp: percent >= 0 };
}
