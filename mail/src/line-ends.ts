/**
 * Normalises line ends in one pass over the character codes. A mail may consist of line ends only. For 40 MB of them, a
 * regular expression or an array of lines blocked the process for ten seconds and took a gigabyte.
 */

/** Whether lines end with a bare CR alone, as old Macintosh programs write them. */
export function isMacintosh(bytes: Buffer): boolean {
  return !bytes.includes(lineFeed) && bytes.includes(carriageReturn);
}

/** Turns the line ends of old Macintosh programs into LF. Each byte keeps its place. */
export function fromMacintosh(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === carriageReturn ? lineFeed : byte)));
}

/** Turns CRLF and bare CR into LF. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? rewritten(text, feedLines) : text;
}

/**
 * Turns line ends into LF, trims each line end and the whole text, and removes the `>` that mail stores put before
 * `From `.
 */
export function settled(text: string): string {
  return rewritten(text, (codes) => settleLines(codes, feedLines(codes))).trim();
}

type Codes = Uint8Array | Uint16Array;

/** @param rewrite changes the codes in place, and returns the new length */
function rewritten(text: string, rewrite: (codes: Codes) => number): string {
  const isWide = /[^\0-\xff]/.test(text);
  if (!isWide) {
    const bytes = Buffer.from(text, 'latin1');
    return bytes.toString('latin1', 0, rewrite(bytes));
  }
  const codes = new Uint16Array(text.length);
  const bytes = Buffer.from(codes.buffer);
  bytes.write(text, 'utf16le');
  return bytes.toString('utf16le', 0, 2 * rewrite(codes));
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function feedLines(codes: Codes): number {
  let to = 0;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === carriageReturn && codes[at + 1] === lineFeed) continue;
    codes[to++] = code === carriageReturn ? lineFeed : code;
  }
  return to;
}

/** Works code by code, because a search and a copy per line cost more on short lines. */
function settleLines(codes: Codes, length: number): number {
  let to = 0;
  let start = 0;
  for (let at = 0; at <= length; at++) {
    const code = codes[at] ?? 0;
    if (at < length && code !== lineFeed) {
      codes[to++] = code;
      continue;
    }
    while (to > start && isBlank(codes[to - 1] ?? 0)) to--;
    const first = behindStuffing(codes, start, to);
    if (first > start) codes.copyWithin(start, first, to);
    to -= first - start;
    if (at < length) codes[to++] = lineFeed;
    start = to;
  }
  return to;
}

const stuffed = [...'From '].map((letter) => letter.charCodeAt(0));
const greaterThan = 0x3e;

/** Finds where a line begins behind the `>` that a mail store put before `From `. */
function behindStuffing(codes: Codes, start: number, end: number): number {
  if (codes[start] !== greaterThan) return start;
  let at = start;
  while (at < end && codes[at] === greaterThan) at++;
  return at + stuffed.length <= end && stuffed.every((code, index) => codes[at + index] === code) ? at : start;
}

/** Whether `trimEnd` removes this character. */
function isBlank(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === 0xa0 || code === 0xfeff || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)));
}
