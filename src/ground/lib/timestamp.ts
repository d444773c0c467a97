const pattern = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i;

/**
 * Whether a text is an RFC 3339 time that both JavaScript and PostgreSQL read. Excludes year 0, offsets of sixteen
 * hours and more, leap seconds, and the zone names that RFC 9557 appends.
 */
export function isTimestamp(text: string): boolean {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (year === undefined || year === '0000' || Number.isNaN(Date.parse(text))) return false;
  // JavaScript reads February 30 as a day in March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= lastDay;
}
