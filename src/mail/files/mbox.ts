/** Splits a stream of an mbox file into mails (RFC 4155, with the escaping of mboxrd and mboxo). */

export type MboxEntry =
  | { offsetBytes: number; raw: Buffer }
  /** A mail that was skipped and never held in memory as a whole. */
  | { offsetBytes: number; tooLarge: true; sizeBytes: number };

/**
 * Splits an mbox into its mails, in order. Removes one `>` from `>From ` lines, and the blank line between two mails.
 * A `From ` line separates mails in one of three cases:
 * - It ends in a date and follows an empty line.
 * - It ends in a date, and a header field follows it.
 * - It follows an empty line and names an address, and a header field follows it.
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

type OpenMail = { offsetBytes: number; parts: Buffer[]; sizeBytes: number };
/**
 * `window` holds bytes that belong to no mail yet. It begins at the start of a line, or at least 3 bytes before the
 * undecided bytes.
 */
type State = { window: Buffer; windowAt: number; open: OpenMail | null; sizeBytesMax: number };

const SEPARATOR = '\nFrom ';
/** The longest incomplete separator at the window's end, and the bytes before it that show an empty line. */
const KEPT_BYTES = SEPARATOR.length - 1 + 3;
const FROM_LINE_BYTES_MAX = 1_000;
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
const FIELD = /^[!-9;-~]{1,76}[ \t]*:/;

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
    searchFrom = lineFeed + 1;
    if (verdict === 'no') continue;
    keep(state, window.subarray(from, lineFeed + 1));
    yield* emit(state);
    state.open = { offsetBytes: windowAt + lineFeed + 1, parts: [], sizeBytes: 0 };
    from = window.indexOf(0x0a, lineFeed + 1) + 1;
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
  if (!isDated && !(isAfterEmpty && (isFirst || ADDRESS_LINE.test(line)))) return 'no';
  if (window.length - lineEnd <= FIELD_BYTES_MAX && !isEnd) return 'unknown';
  return FIELD.test(window.toString('latin1', lineEnd + 1, lineEnd + 1 + FIELD_BYTES_MAX)) ? 'yes' : 'no';
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
