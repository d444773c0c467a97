import { spokenLocale } from '../words/words.ts';
import { preferences } from './preferences.ts';

const dayMs = 86_400_000;

const clock = formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = formatter({ day: 'numeric', month: 'short' });
const weekday = formatter({ weekday: 'short' });
const dayOfYear = formatter({ day: 'numeric', month: 'short', year: 'numeric' });
const whole = formatter({ dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' });
const dated = formatter({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** A time as a row shows it: today the clock, this year the day, before that the day with its year. */
export function shortTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const ageMs = now.getTime() - at.getTime();
  if (ageMs < dayMs && day(at) === day(now)) return clock(at);
  return yearOf(at) === yearOf(now) ? day(at) : dayOfYear(at);
}

/** A time as a list of tickets shows it: of the last six days the weekday, otherwise as `shortTime`. */
export function rowTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const isToday = day(at) === day(now);
  return !isToday && now.getTime() - at.getTime() < 6 * dayMs ? weekday(at) : shortTime(iso, now);
}

/** How long something has been waiting, in its largest unit: `8m`, `3h`, `2d`; in German `2 Tg.` */
export function ageWords(iso: string, now = new Date()): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(iso).getTime()) / 60_000));
  if (minutes < 60) return spanOf(minutes, 'minute');
  return minutes < 1_440 ? spanOf(Math.floor(minutes / 60), 'hour') : spanOf(Math.floor(minutes / 1_440), 'day');
}

function spanOf(count: number, unit: 'minute' | 'hour' | 'day'): string {
  const locale = spokenLocale();
  // The narrow German day is a bare `T`.
  const unitDisplay = locale.startsWith('de') ? 'short' : 'narrow';
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }).format(count);
}

/** A day with its year. A text that is not a time stays as it is. */
export function fullDay(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : dayOfYear(at);
}

export function fullTime(iso: string): string {
  return whole(new Date(iso));
}

/** A day with its year, and the clock. */
export function datedTime(iso: string): string {
  return dated(new Date(iso));
}

/** The time zone that the member has chosen, else the browser's. */
export function memberTimeZone(): string {
  return preferences().timeZone ?? browserTimeZone();
}

export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const yearOf = formatter({ year: 'numeric' });
const ahead = formatter({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** A future time, with its weekday. */
export function snoozeTime(at: Date): string {
  return ahead(at);
}

const soon = formatter({ weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** A future time in few words: today the clock, on the next six days with the weekday, later as `snoozeTime`. */
export function soonTime(at: Date, now = new Date()): string {
  if (day(at) === day(now)) return clock(at);
  return at.getTime() - now.getTime() < 6 * dayMs ? soon(at) : snoozeTime(at);
}

/** Writes times in the member's language and time zone. */
function formatter(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let made: { locale: string; timeZone: string | null; format: Intl.DateTimeFormat } | undefined;
  return (at) => {
    const { timeZone } = preferences();
    const locale = spokenLocale();
    if (made?.timeZone !== timeZone || made.locale !== locale) {
      const format = new Intl.DateTimeFormat(locale, { ...options, ...(timeZone !== null && { timeZone }) });
      made = { locale, timeZone, format };
    }
    return made.format.format(at);
  };
}
