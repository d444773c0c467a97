const dayMs = 86_400_000;

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const whole = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' });

/** A time as a row shows it: the clock within a day, then the day, then the day with its year. */
export function shortTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const ageMs = now.getTime() - at.getTime();
  if (ageMs < dayMs && at.getDate() === now.getDate()) return clock.format(at);
  return at.getFullYear() === now.getFullYear() ? day.format(at) : dayOfYear.format(at);
}

/** How long something has been waiting, in its largest unit: `8m`, `3h`, `2d`. */
export function ageWords(iso: string, now = new Date()): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(iso).getTime()) / 60_000));
  if (minutes < 60) return `${minutes}m`;
  return minutes < 1_440 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1_440)}d`;
}

/** A day with its year; what is no time stays as it is written. */
export function fullDay(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : dayOfYear.format(at);
}

export function fullTime(iso: string): string {
  return whole.format(new Date(iso));
}

/** Where the member is, as the browser knows it. */
export function memberTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const ahead = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});

/** A time to come, with its weekday. */
export function snoozeTime(at: Date): string {
  return ahead.format(at);
}
