import { germanTimes } from './german-times.ts';
import { instantOf, type LocalTime, localTime, weekdayOf } from './zoned-time.ts';

export type SnoozePreset = { name: 'hours' | 'afternoon' | 'evening' | 'tomorrow' | 'weekend' | 'monday'; at: Date };

const morning = 8;
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The usual times to come back to a ticket, soonest first. Times of today appear only until they pass. */
export function snoozePresets(now: Date, timeZone: string): SnoozePreset[] {
  const today = localTime(now, timeZone);
  const at = (days: number, hour: number) => instantOf({ ...today, day: today.day + days, hour, minute: 0 }, timeZone);
  const daysUntil = (weekday: number) => (weekday - weekdayOf(today) + 7) % 7 || 7;
  const presets: SnoozePreset[] = [
    { name: 'hours', at: new Date(now.getTime() + 3 * 3_600_000) },
    { name: 'afternoon', at: at(0, 13) },
    { name: 'evening', at: at(0, 19) },
    { name: 'tomorrow', at: at(1, morning) },
    { name: 'weekend', at: at(daysUntil(6), 10) },
    { name: 'monday', at: at(daysUntil(1), morning) },
  ];
  const ahead = presets.filter((preset) => preset.at > now).sort((a, b) => a.at.getTime() - b.at.getTime());
  // On a Sunday, tomorrow is Monday.
  return ahead.filter(({ at }, index) => ahead[index - 1]?.at.getTime() !== at.getTime());
}

/**
 * Reads when to come back: `tue 15`, `2d`, `in 3 weeks`, `tomorrow 8`, `next month`, `24 dec 9:30`, `4pm`, or the same
 * in German. Reads both languages, whichever the page has.
 * @returns a future instant, or undefined where the words do not name one
 */
export function readSnooze(text: string, now: Date, timeZone: string): Date | undefined {
  return readEnglish(text, now, timeZone) ?? readEnglish(germanTimes(text), now, timeZone);
}

function readEnglish(text: string, now: Date, timeZone: string): Date | undefined {
  const asked = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(on|at|until|till) /, '');
  const at = readSpan(asked, now, timeZone) ?? readDay(asked, now, timeZone);
  return at !== undefined && at > now ? at : undefined;
}

const span = /^(?:in )?(\d{1,3}|an?|one) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mo|months?)$/;

/** Hours and minutes are exact; days, weeks and months end at 8 in the morning. */
function readSpan(asked: string, now: Date, timeZone: string): Date | undefined {
  const [, count, unit] = span.exec(asked) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const times = Number(count) || 1;
  if (/^m(in|$)/.test(unit)) return new Date(now.getTime() + times * 60_000);
  if (unit.startsWith('h')) return new Date(now.getTime() + times * 3_600_000);
  const today = { ...localTime(now, timeZone), hour: morning, minute: 0 };
  if (unit.startsWith('mo')) return instantOf(monthsLater(today, times), timeZone);
  return instantOf({ ...today, day: today.day + times * (unit.startsWith('w') ? 7 : 1) }, timeZone);
}

/** A month after 31 January is the end of February. */
function monthsLater(from: LocalTime, count: number): LocalTime {
  const month = from.month + count;
  const lastDay = new Date(Date.UTC(from.year, month, 0)).getUTCDate();
  return { ...from, month, day: Math.min(from.day, lastDay) };
}

type Clock = { hour: number; minute: number };
const clockAtEnd = /(?:^| )(?:at )?(\d{1,2})(?:[:.](\d{2}))? ?(am|pm|h|o'clock)?$/;

/** @returns the time of day at the end of the words, and what stands before it */
function takeClock(asked: string): { rest: string; clock: Clock | undefined } {
  const found = clockAtEnd.exec(asked);
  const named = /(?:^| )(?:at )?(noon|midnight)$/.exec(asked);
  if (named !== null)
    return { rest: asked.slice(0, named.index), clock: { hour: named[1] === 'noon' ? 12 : 0, minute: 0 } };
  if (found === null) return { rest: asked, clock: undefined };
  const [, hours, minutes = '0', half] = found;
  const hour = half === 'pm' ? (Number(hours) % 12) + 12 : half === 'am' ? Number(hours) % 12 : Number(hours);
  if (hour > 23 || Number(minutes) > 59) return { rest: asked, clock: undefined };
  return { rest: asked.slice(0, found.index), clock: { hour, minute: Number(minutes) } };
}

/** Tries the words as a day first, as a number after a month is its day. Any other number at the end is an hour. */
function readDay(asked: string, now: Date, timeZone: string): Date | undefined {
  const whole = dayOf(asked, now, timeZone, undefined);
  if (whole !== undefined) return whole;
  const { rest, clock } = takeClock(asked);
  return clock === undefined ? undefined : dayOf(rest, now, timeZone, clock);
}

function dayOf(asked: string, now: Date, timeZone: string, clock: Clock | undefined): Date | undefined {
  const today = localTime(now, timeZone);
  const at = (days: number, usual = morning) =>
    instantOf({ ...today, day: today.day + days, hour: usual, minute: 0, ...clock }, timeZone);
  const ahead = (days: number, usual?: number) => (at(days, usual) > now ? at(days, usual) : at(days + 7, usual));
  const until = (weekday: number) => (weekday - weekdayOf(today) + 7) % 7;
  if (asked === '') return clock === undefined ? undefined : at(0) > now ? at(0) : at(1);
  if (asked === 'today') return clock === undefined ? undefined : at(0);
  if (asked === 'tonight' || asked === 'this evening' || asked === 'evening') return at(0, 19);
  if (asked === 'this afternoon' || asked === 'afternoon') return at(0, 13);
  if (/^(tom|tmrw|tomorrow)( morning)?$/.test(asked)) return at(1);
  if (asked === 'tomorrow afternoon') return at(1, 13);
  if (/^(the )?day after tomorrow$/.test(asked)) return at(2);
  if (asked === 'tomorrow evening') return at(1, 19);
  if (/^(this )?weekend$/.test(asked)) return ahead(until(6), 10);
  if (asked === 'next week') return at(until(1) || 7);
  if (asked === 'next month')
    return instantOf({ ...monthsLater(today, 1), hour: morning, minute: 0, ...clock }, timeZone);
  const [, next, name = ''] = /^(next |this )?([a-z]{3,9})$/.exec(asked) ?? [];
  const weekday = weekdays.findIndex((short) => name.startsWith(short) && isBeginning(name, fullWeekdays[short]));
  if (weekday !== -1)
    return next === 'next ' ? at(until(weekday) + daysToNextWeek(until(weekday), today)) : ahead(until(weekday));
  return dateOf(asked, now, timeZone, { hour: morning, minute: 0, ...clock });
}

const fullWeekdays: Record<string, string> = {
  sun: 'sunday',
  mon: 'monday',
  tue: 'tuesday',
  wed: 'wednesday',
  thu: 'thursday',
  fri: 'friday',
  sat: 'saturday',
};

function isBeginning(name: string, whole: string | undefined): boolean {
  return whole?.startsWith(name) === true;
}

/** "Next Friday" is the Friday of next week, and weeks begin on Monday. */
function daysToNextWeek(days: number, today: LocalTime): number {
  const leftInWeek = (7 - weekdayOf(today)) % 7;
  return days <= leftInWeek ? 7 : 0;
}

/** A date; without a year, the next such date. */
function dateOf(asked: string, now: Date, timeZone: string, clock: Clock): Date | undefined {
  const day = calendarDay(asked);
  if (day === undefined) return undefined;
  const { year } = localTime(now, timeZone);
  const inYear = (wanted: number) =>
    isDay(wanted, day) ? instantOf({ ...clock, year: wanted, month: day.month, day: day.day }, timeZone) : undefined;
  if (day.year !== undefined) return inYear(day.year);
  const thisYear = inYear(year);
  return thisYear !== undefined && thisYear > now ? thisYear : inYear(year + 1);
}

type CalendarDay = { year: number | undefined; month: number; day: number };

function calendarDay(asked: string): CalendarDay | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(asked);
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const european = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(asked);
  if (european !== null)
    return { year: Number(european[3]) || undefined, month: Number(european[2]), day: Number(european[1]) };
  const [, before, name, after] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? )?([a-z]{3,9})(?: (\d{1,2})(?:st|nd|rd|th)?)?$/.exec(asked) ?? [];
  const month = months.indexOf(name?.slice(0, 3) ?? '') + 1;
  // Of two numbers, the last number is the hour.
  const day = before !== undefined && after !== undefined ? undefined : (before ?? after);
  return month === 0 || day === undefined ? undefined : { year: undefined, month, day: Number(day) };
}

function isDay(year: number, { month, day }: CalendarDay): boolean {
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}
