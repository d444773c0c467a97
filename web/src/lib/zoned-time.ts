const minuteMs = 60_000;

/** A calendar day and a time of day, without a time zone. */
export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number };

/** The local time in a zone. */
export function localTime(at: Date, timeZone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour'), minute: read('minute') };
}

/**
 * The instant of a local time in a zone. Months and days may overflow, as with `Date`. A time that the change to summer
 * time skips moves later by the gap. Of a time that comes twice, this is the first.
 */
export function instantOf({ year, month, day, hour, minute }: LocalTime, timeZone: string): Date {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  // The offsets of the day before and the day after. They differ where the clocks change in between.
  const offsets = [-1, 1].map((days) => offsetMs(new Date(asUtc + days * 86_400_000), timeZone));
  const candidates = offsets.map((offset) => new Date(asUtc - offset)).sort((a, b) => a.getTime() - b.getTime());
  const right = candidates.find((at) => at.getTime() + offsetMs(at, timeZone) === asUtc);
  return right ?? (candidates.at(-1) as Date); // there are always two candidates
}

function offsetMs(at: Date, timeZone: string): number {
  const { year, month, day, hour, minute } = localTime(at, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at.getTime() / minuteMs) * minuteMs;
}

/** 0 is Sunday. */
export function weekdayOf({ year, month, day }: LocalTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}
