/** Where the header of a mail begins in the files of other programs. */
import { fromMacintosh, isMacintosh } from '../line-ends.ts';

const lineFeed = 0x0a;
/** Enough of a line for any blanks that a writer puts behind a field's name. */
const lineStartBytes = 100;

/** How many of the first bytes are a byte order mark, empty lines or blanks. */
export function blankBytesOf(bytes: Buffer): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && isBlank(bytes[at]!)) at++; // at is below the length
  return at;
}

/** Skips what stands before a header: blanks and `From ` lines, also those that an exporter escaped as `>From `. */
export function headerStartOf(bytes: Buffer, from = blankBytesOf(bytes)): number {
  let at = from;
  while (isFromLine(bytes, at)) {
    const lineEnd = bytes.indexOf(lineFeed, at);
    if (lineEnd === -1) return bytes.length;
    at = lineEnd + 1;
  }
  return at;
}

/** The chunks of an mbox file that begins with its first `From ` line. Each byte keeps its place. */
export async function* plainMbox(head: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rewrite = isMacintosh(head) ? fromMacintosh : undefined;
  let blanks = blankBytesOf(head);
  for await (const chunk of chunks) {
    const plain = rewrite?.(chunk) ?? chunk;
    const width = Math.min(blanks, plain.length);
    blanks -= width;
    yield width === 0 ? plain : Buffer.concat([Buffer.alloc(width, 0x0a), plain.subarray(width)]);
  }
}

/** A header field `From :` is none: its name may have blanks behind it (RFC 5322, 4.5.3). */
export function isFromLine(bytes: Buffer, at: number): boolean {
  return /^>{0,3}From (?![\t ]*:)/.test(bytes.toString('latin1', at, at + lineStartBytes));
}

function isBlank(byte: number): boolean {
  return byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
