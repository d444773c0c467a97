/** Splits a stream of an mbox file into mails (RFC 4155, with the escaping of mboxrd and mboxo, and mboxcl2). */

export type MboxEntry =
  | { offsetBytes: number; raw: Buffer }
  /** A mail that was skipped and never held in memory as a whole. */
  | { offsetBytes: number; tooLarge: true; sizeBytes: number };

/**
 * Splits an mbox into its mails, in order. Removes one `>` from `>From ` lines, and the blank line between two mails.
 * A `From ` line separates mails in one of three cases:
 * - It ends in a date and follows an empty line.
 * - It ends in a date, and a header field follows it.
 * - It follows an empty line and names an address or some other form of date, and a header field follows it.
 * A line within the Content-Length of a mail separates nothing if that length ends at another separator (mboxcl2).
 * Keeps line ends, LF or CRLF. Holds one chunk and one mail of at most `sizeBytesMax` in memory. Counts the bytes of a
 * larger mail and skips it.
 * @param chunks the bytes of the file, split anywhere
 */
export async function* splitMbox(chunks: AsyncIterable<Uint8Array>, sizeBytesMax: number): AsyncGenerator<MboxEntry> {
  // Treat the first line of the file as if an empty line stood above it.
  const state: State = { window: Buffer.from('\n\n'), windowAt: -2, open: null, sizeBytesMax };
  for await (const chunk of chunks) {
    state.window = Buffer.concat([state.window, chunk]);
    yield* drain(state, false);
  }
  yield* drain(state, true);
}

/** Whether a line (without its line end) is a `From ` line with a date, as programs write it. */
export function isDatedFromLine(line: string): boolean {
  return ASCTIME_LINE.test(line) || RFC_DATE_LINE.test(line);
}

/**
 * `startsAt` is the place below the `From ` line, and `endsAt` where the mail ends by its Content-Length; null if it
 * has none, or if that proved wrong.
 */
type OpenMail = { offsetBytes: number; startsAt: number; parts: Buffer[]; sizeBytes: number; endsAt?: number | null };
/**
 * `window` holds bytes that belong to no mail yet. It begins at the start of a line, or at least 3 bytes before the
 * undecided bytes.
 */
type State = { window: Buffer; windowAt: number; open: OpenMail | null; sizeBytesMax: number };

const SEPARATOR = '\nFrom ';
/** The longest incomplete separator at the window's end, and the bytes before it that show an empty line. */
const KEPT_BYTES = SEPARATOR.length - 1 + 3;
const FROM_LINE_BYTES_MAX = 1_000;
const LENGTH_HEAD_BYTES = 65_536;
/** A false length holds so many bytes in memory. */
const LENGTH_MAX = 16 * 1024 * 1024;
const FIELD_BYTES_MAX = 100;
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)';
const TIME = '\\d{1,2}:\\d{2}(?::\\d{2})?';
/**
 * `From ann@example.com Fri Nov 20 19:05:01 2026`, with a zone before or after the year, and any text as the sender.
 */
const ASCTIME_LINE = new RegExp(
  `^From .*${DAY},?\\s+${MONTH}\\s+\\d{1,2}\\s+${TIME}(?:\\s+[a-z0-9+-]{1,6}){0,2}\\s+\\d{4}(?:\\s+[+-]\\d{4})?\\s*$`,
  'i',
);
/** `From ann@example.com Fri, 20 Nov 2026 19:05:01 +0000` */
const RFC_DATE_LINE = new RegExp(
  `^From .*\\s(?:${DAY},?\\s+)?\\d{1,2}[ -]${MONTH}[ -]\\d{2,4}\\s+${TIME}(?:\\s+[a-z0-9+-]{1,6})?\\s*$`,
  'i',
);
const ADDRESS_LINE = /^From [^\s@]+@\S+\s*$/;
/** `From ann@example.com 2026-11-20T19:05:01Z`, or the date in another language. */
const OTHER_DATE = [/^From \S+ /, /(?<!\d)\d{4}(?!\d)/, /\d:\d{2}/];
/** An exporter may have put its own line below the separator, escaped. */
const FIELD = /^(?:>{1,3}From |[!-9;-~]{1,76}[ \t]*:)/;

function* drain(state: State, isEnd: boolean): Generator<MboxEntry> {
  const { window, windowAt } = state;
  let from = 0;
  let searchFrom = 0;
  let undecided = isEnd ? window.length : Math.max(0, window.length - KEPT_BYTES);
  for (;;) {
    const lineFeed = window.indexOf(SEPARATOR, searchFrom, 'latin1');
    if (lineFeed === -1) break;
    const verdict = judge(window, lineFeed, state.open === null, isEnd);
    if (verdict === 'unknown') {
      undecided = lineFeed - 3;
      break;
    }
    const within = verdict === 'yes' ? endByLength(state, from, { lineFeed, isEnd }) : null;
    if (within === 'unknown') {
      undecided = lineFeed - 3;
      break;
    }
    searchFrom = lineFeed + 1;
    if (within !== null) searchFrom = within - windowAt - 1;
    if (verdict === 'no' || within !== null) continue;
    keep(state, window.subarray(from, lineFeed + 1));
    yield* emit(state);
    from = window.indexOf(0x0a, lineFeed + 1) + 1;
    state.open = { offsetBytes: windowAt + lineFeed + 1, startsAt: windowAt + from, parts: [], sizeBytes: 0 };
    searchFrom = from - 1;
  }
  const until = Math.max(from, undecided);
  keep(state, window.subarray(from, until));
  state.window = window.subarray(until);
  state.windowAt = windowAt + until;
  if (isEnd) yield* emit(state);
}

/** Whether the `From ` line after the LF at `lineFeed` separates two mails. Unknown until enough bytes have arrived. */
function judge(window: Buffer, lineFeed: number, isFirst: boolean, isEnd: boolean): 'yes' | 'no' | 'unknown' {
  const lineEnd = window.indexOf(0x0a, lineFeed + 1);
  if (lineEnd === -1) return isEnd || window.length - lineFeed > FROM_LINE_BYTES_MAX ? 'no' : 'unknown';
  if (lineEnd - lineFeed > FROM_LINE_BYTES_MAX) return 'no';
  const line = window.toString('latin1', lineFeed + 1, lineEnd);
  const isDated = isDatedFromLine(line);
  const isAfterEmpty = isEmptyLineBefore(window, lineFeed);
  if (isDated && isAfterEmpty) return 'yes';
  // The first mail of the file may have any `From ` line.
  const isNamed = isFirst || ADDRESS_LINE.test(line) || OTHER_DATE.every((part) => part.test(line));
  if (!isDated && !(isAfterEmpty && isNamed)) return 'no';
  if (window.length - lineEnd <= FIELD_BYTES_MAX && !isEnd) return 'unknown';
  return FIELD.test(window.toString('latin1', lineEnd + 1, lineEnd + 1 + FIELD_BYTES_MAX)) ? 'yes' : 'no';
}

/**
 * The place after `lineFeed` where the open mail ends by its Content-Length, if a separator or the end of the file
 * stands there. Null for a mail without such a length. Unknown until enough bytes have arrived.
 */
function endByLength(
  { open, window, windowAt }: State,
  from: number,
  { lineFeed, isEnd }: { lineFeed: number; isEnd: boolean },
): number | 'unknown' | null {
  if (open === null || open.endsAt === null) return null;
  open.endsAt ??= endOf(open, window.subarray(from, lineFeed + 1));
  if (open.endsAt === null || open.endsAt <= windowAt + lineFeed + 1) return null;
  const at = open.endsAt - windowAt;
  if (window.length < at + SEPARATOR.length + 2 && !isEnd) return 'unknown';
  // A mail that ends within the last line has its line end in front of the separator.
  const isRight = at === window.length || /^\r?\n?\r?\n?From /.test(window.toString('latin1', at, at + 9));
  if (!isRight) open.endsAt = null;
  return open.endsAt;
}

/** Content-Length counts from the first byte below the header. */
function endOf({ startsAt, parts, sizeBytes }: OpenMail, rest: Buffer): number | null {
  // A mail that is too large is no longer held.
  if (parts.length === 0 && sizeBytes > 0) return null;
  const head = Buffer.concat([...parts, rest]).toString('latin1', 0, LENGTH_HEAD_BYTES);
  const headerEnd = /\n\r?\n/.exec(head);
  if (headerEnd === null) return null;
  const header = head.slice(0, headerEnd.index + 1);
  const length = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*\r?$/im.exec(header)?.[1] ?? Number.NaN);
  return length <= LENGTH_MAX ? startsAt + headerEnd.index + headerEnd[0].length + length : null;
}

/** If the window has fewer than 3 bytes before `lineFeed`, then it begins at the start of a line. */
function isEmptyLineBefore(window: Buffer, lineFeed: number): boolean {
  const before = window[lineFeed - 1] === 0x0d ? lineFeed - 1 : lineFeed;
  return before === 0 || window[before - 1] === 0x0a;
}

function keep({ open, sizeBytesMax }: State, bytes: Buffer): void {
  if (open === null) return;
  open.sizeBytes += bytes.length;
  if (open.sizeBytes > sizeBytesMax) open.parts = [];
  else if (bytes.length > 0) open.parts.push(bytes);
}

function* emit({ open, sizeBytesMax }: State): Generator<MboxEntry> {
  if (open === null) return;
  const { offsetBytes, sizeBytes } = open;
  if (sizeBytes > sizeBytesMax) yield { offsetBytes, tooLarge: true, sizeBytes };
  else yield { offsetBytes, raw: unescapeFrom(withoutLastEmptyLine(Buffer.concat(open.parts))) };
}

function withoutLastEmptyLine(mail: Buffer): Buffer {
  const { length } = mail;
  if (mail[length - 1] !== 0x0a) return mail;
  const lineStart = mail[length - 2] === 0x0d ? length - 2 : length - 1;
  return lineStart === 0 || mail[lineStart - 1] === 0x0a ? mail.subarray(0, lineStart) : mail;
}

const ESCAPED = '>From ';

function unescapeFrom(mail: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = mail.indexOf(ESCAPED, 0, 'latin1'); at !== -1; at = mail.indexOf(ESCAPED, at + 1, 'latin1')) {
    let lineStart = at;
    while (lineStart > 0 && mail[lineStart - 1] === 0x3e) lineStart--;
    if (lineStart > 0 && mail[lineStart - 1] !== 0x0a) continue;
    pieces.push(mail.subarray(from, at));
    from = at + 1;
  }
  return from === 0 ? mail : Buffer.concat([...pieces, mail.subarray(from)]);
}
