const minuteMs = 60_000;
/** Minutes since the mailbox went into error. Later retries come every hour. */
const retriesAtMinutes = [1, 3, 8, 23, 83] as const;
const laterEveryMinutes = 60;

/** When a mailbox in error is read next: the pauses are 1, 2, 5, 15 and 60 minutes, then an hour each. */
export function nextRetryAt(errorSince: Date, now: Date): Date {
  const minutesIn = (now.getTime() - errorSince.getTime()) / minuteMs;
  const soon = retriesAtMinutes.find((minutes) => minutes > minutesIn);
  const last = retriesAtMinutes[retriesAtMinutes.length - 1] ?? 0;
  const hours = Math.floor((minutesIn - last) / laterEveryMinutes) + 1;
  return new Date(errorSince.getTime() + (soon ?? last + hours * laterEveryMinutes) * minuteMs);
}
