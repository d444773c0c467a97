const pattern = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i;

/**
 * A time of RFC 3339 that JavaScript and PostgreSQL both read: that has no year 0, no zone sixteen hours away, no leap second
 * and none of RFC 9557's names of zones behind it.
 */
export function isTimestamp(text: string): boolean {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (year === undefined || year === '0000' || Number.isNaN(Date.parse(text))) return false;
  // JavaScript takes the 30th of February for a day in March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= lastDay;
}
