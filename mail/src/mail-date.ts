/** Reads the dates in mail (RFC 5322 §3.3 and §4.3), and tolerates common mistakes. */

/**
 * Reads the date of a Date or Received header.
 * Accepts a missing weekday, missing seconds, a missing zone (then UTC), two-digit years, zone names and ISO 8601.
 * @returns null for anything else, and for a date outside the years 1900 to 9999
 */
export function readMailDate(value: string): Date | null {
  const text = value
    .slice(0, DATE_CHARS_MAX)
    .replace(/\([^()]*\)/g, ' ')
    .trim();
  const match = MAIL_DATE.exec(text);
  const at = match === null ? readIsoDate(text) : fromParts(match);
  return at !== null && at >= YEAR_1900 && at < YEAR_10000 ? new Date(at) : null;
}

const DATE_CHARS_MAX = 200;
const YEAR_1900 = Date.UTC(1900, 0);
const YEAR_10000 = Date.UTC(10_000, 0);
const MAIL_DATE = new RegExp(
  '(?:^|[\\s,])(\\d{1,2})[\\s-]+([a-z]{3})[a-z]*\\.?[\\s,-]+(\\d{2,4})[\\s,]+' +
    '(\\d{1,2})\\s*[:.]\\s*(\\d{1,2})(?:\\s*[:.]\\s*(\\d{1,2})(?:\\.\\d+)?)?(?:\\s*([ap]m)\\b)?' +
    '(?:\\s*(?:(?:utc|gmt)(?=[+-]))?([+-]\\d{1,2}:?\\d{2}|[a-z]{1,5}))?',
  'i',
);
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Other zone names are ambiguous and count as UTC (RFC 5322 §4.3). */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
  cet: 1,
  cest: 2,
  bst: 1,
  jst: 9,
};

function fromParts(match: RegExpExecArray): number | null {
  const [, day = '', monthName = '', yearText = '', hourText = '', minute = '', second = '0', half, zone] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase());
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (month === -1 || Number(day) < 1 || Number(day) > 31 || hour > 24 || Number(minute) > 59) return null;
  // A leap second (60) rolls over into the next minute.
  if (Number(second) > 60) return null;
  const at = Date.UTC(fullYear(yearText), month, Number(day), hour, Number(minute), Number(second));
  // Date.UTC would silently turn the 30th of February into a day in March.
  if (new Date(Date.UTC(fullYear(yearText), month, Number(day))).getUTCMonth() !== month) return null;
  return at - zoneMinutes(zone) * 60_000;
}

/** Two digits 00–49 mean 2000–2049. 50–99 and three digits count from 1900 (RFC 5322 §4.3). */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return text.length === 3 ? 1900 + year : year;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const numeric = /^([+-])(\d{1,2}):?(\d{2})$/.exec(zone);
  if (numeric === null) return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 60;
  const minutes = Number(numeric[2]) * 60 + Number(numeric[3]);
  if (minutes >= 24 * 60) return 0;
  return numeric[1] === '-' ? -minutes : minutes;
}

function readIsoDate(text: string): number | null {
  if (!ISO_DATE.test(text)) return null;
  const withZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10)) ? text : `${text}${text.length > 10 ? 'Z' : ''}`;
  const at = Date.parse(withZone.replace(' ', 'T'));
  return Number.isNaN(at) ? null : at;
}
