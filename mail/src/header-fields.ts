/** Reads the header block of a mail or a part, and tolerates the damage in real mail. */
import { isAscii, isUtf8 } from 'node:buffer';
import { cleanText, decodeCharset } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import type { MailHeader } from './mail.ts';

export type HeaderBlock = {
  /** Names in lower case. Values unfolded and trimmed, without U+0000; encoded words stay encoded. */
  fields: MailHeader[];
  /** Offset of the first byte of the body. */
  bodyStart: number;
  /** Header bytes read, including folded lines. */
  sizeBytes: number;
  defects: string[];
};

/** Ignores the fields beyond this size. The longest real headers, with long lists of recipients, are shorter. */
const HEADER_BYTES_MAX = 262_144;
const HEADER_FIELDS_MAX = 2_000;
export const HEADER_TOO_LARGE = 'header too large: the rest passed over';

/**
 * Reads header fields from `start` up to the empty line, or to where the body evidently begins without an empty line.
 * - Joins folded lines (RFC 5322 §2.2.3).
 * - Treats any other line as a broken fold if more fields follow, else as the first line of the body.
 * - Ends the header at a line that begins with `--`, because it is a boundary.
 * - Decodes raw 8-bit values as UTF-8 (RFC 6532) if valid apart from a cut character. Otherwise uses the charset of the
 *   block's Content-Type, or windows-1252.
 * Never throws. Linear in the size of the block.
 */
export function readHeaderBlock(raw: Buffer, start: number, end: number): HeaderBlock {
  const lines: Line[] = [];
  const defects = new Set<string>();
  let at = start;
  let bodyStart = end;
  while (at < end) {
    if (at - start > HEADER_BYTES_MAX) {
      defects.add(HEADER_TOO_LARGE);
      bodyStart = behindEmptyLine(raw, at, end);
      break;
    }
    const lineFeed = raw.indexOf(0x0a, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    const lineEnd = trimLineEnd(raw, at, next);
    if (lineEnd === at) {
      bodyStart = next;
      break;
    }
    const kind = classifyLine(raw, at, lineEnd);
    if (kind === 'other') {
      const isBody = isBoundaryLike(raw, at) || lines.length === 0 || !fieldFollows(raw, next, end);
      if (isBody) {
        defects.add('no empty line after the header');
        bodyStart = at;
        break;
      }
      defects.add('a header line without a name');
    }
    const isMended = kind === 'other';
    lines.push({ kind: isMended ? 'fold' : kind, isMended, from: at, to: lineEnd });
    at = next;
  }
  const fields = joinLines(raw, lines, defects);
  return { fields, bodyStart, sizeBytes: bodyStart - start, defects: [...defects] };
}

/** Returns the value of the first field with this name, or null. */
export function fieldOf(fields: readonly MailHeader[], name: string): string | null {
  return fields.find((field) => field.name === name)?.value ?? null;
}

export type StructuredValue = {
  /** The text before the first semicolon, in lower case, without comments. */
  value: string;
  /** Names in lower case. Values with RFC 2231 continuations joined, and with all encodings decoded. */
  parameters: ReadonlyMap<string, string>;
};

/**
 * Reads Content-Type, Content-Disposition and similar fields (RFC 2045 §5.1, RFC 2183, RFC 2231).
 * Accepts single and double quotes, stray quotes, empty parameters and raw 8-bit names. The first of two parameters
 * with the same name wins.
 */
export function readStructured(header: string): StructuredValue {
  const [head = '', ...rest] = splitOutsideQuotes(header.slice(0, STRUCTURED_CHARS_MAX));
  const sections = new Map<string, ParameterSection[]>();
  for (const item of rest.slice(0, PARAMETERS_MAX)) {
    const equals = item.indexOf('=');
    if (equals === -1) continue;
    const name = item.slice(0, equals).trim().toLowerCase();
    const match = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name);
    if (match === null) continue;
    const [, key = '', index, star] = match;
    const list = sections.get(key) ?? [];
    list.push({
      index: index === undefined ? -1 : Number(index),
      isEncoded: star !== undefined,
      value: unquote(item.slice(equals + 1).trim()),
    });
    sections.set(key, list);
  }
  const parameters = new Map<string, string>();
  for (const [key, list] of sections) parameters.set(key, joinSections(list));
  return { value: withoutComments(head).trim().toLowerCase(), parameters };
}

/** A mended fold lost its leading blank in transit. */
type Line = { kind: 'field' | 'fold'; isMended: boolean; from: number; to: number };

const BLANK = Buffer.from(' ');
type ParameterSection = { index: number; isEncoded: boolean; value: string };

const STRUCTURED_CHARS_MAX = 16_384;
const PARAMETERS_MAX = 200;
const FOLLOWING_LINES_MAX = 50;

/** Finds where the body begins without reading the rest of the header. */
function behindEmptyLine(raw: Buffer, from: number, end: number): number {
  const found = [raw.indexOf('\n\n', from - 1), raw.indexOf('\n\r\n', from - 1)].filter((at) => at !== -1);
  if (found.length === 0) return end;
  const at = Math.min(...found);
  return Math.min(end, at + (raw[at + 1] === 0x0a ? 2 : 3));
}

function trimLineEnd(raw: Buffer, from: number, next: number): number {
  let end = next;
  if (end > from && raw[end - 1] === 0x0a) end--;
  while (end > from && raw[end - 1] === 0x0d) end--;
  return end;
}

/** A field name is printable ASCII without a colon (RFC 5322 §3.6.8). Accepts blanks before the colon. */
function classifyLine(raw: Buffer, from: number, to: number): 'field' | 'fold' | 'other' {
  if (raw[from] === 0x20 || raw[from] === 0x09) return 'fold';
  for (let at = from; at < to; at++) {
    const byte = raw[at]!; // at is below the length
    if (byte === 0x3a) return at > from ? 'field' : 'other';
    if (byte === 0x20 || byte === 0x09) {
      let next = at;
      while (raw[next] === 0x20 || raw[next] === 0x09) next++;
      return raw[next] === 0x3a ? 'field' : 'other';
    }
    if (byte < 0x21 || byte > 0x7e) return 'other';
  }
  return 'other';
}

function isBoundaryLike(raw: Buffer, at: number): boolean {
  return raw[at] === 0x2d && raw[at + 1] === 0x2d;
}

/** Whether a field follows before the next empty line. If so, the odd line belongs to the header. */
function fieldFollows(raw: Buffer, from: number, end: number): boolean {
  let at = from;
  for (let count = 0; at < end && count < FOLLOWING_LINES_MAX; count++) {
    const lineFeed = raw.indexOf(0x0a, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    const lineEnd = trimLineEnd(raw, at, next);
    if (lineEnd === at) return false;
    if (classifyLine(raw, at, lineEnd) === 'field' && /^[A-Za-z][A-Za-z0-9-]+$/.test(nameOf(raw, at))) return true;
    at = next;
  }
  return false;
}

function nameOf(raw: Buffer, from: number): string {
  return raw.toString('latin1', from, raw.indexOf(0x3a, from)).trim();
}

function joinLines(raw: Buffer, lines: readonly Line[], defects: Set<string>): MailHeader[] {
  const fields: { name: string; bytes: Buffer }[] = [];
  let sizeBytes = 0;
  for (let index = 0; index < lines.length; ) {
    const first = lines[index]!; // index is below the length
    let last = index;
    while (lines[last + 1]?.kind === 'fold') last++;
    const chunks = lines.slice(index, last + 1).flatMap((line) => {
      const bytes = raw.subarray(line.from, Math.min(line.to, line.from + HEADER_BYTES_MAX));
      return line.isMended ? [BLANK, bytes] : [bytes];
    });
    index = last + 1;
    if (first.kind === 'fold') {
      defects.add('a folded line before the first field');
      continue;
    }
    const room = HEADER_BYTES_MAX - sizeBytes;
    sizeBytes += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const isFull = room <= 0 || fields.length >= HEADER_FIELDS_MAX;
    if (isFull || sizeBytes > HEADER_BYTES_MAX) defects.add(HEADER_TOO_LARGE);
    if (isFull) break;
    const colon = raw.indexOf(0x3a, first.from);
    const name = raw.toString('latin1', first.from, colon).trim().toLowerCase();
    chunks[0] = raw.subarray(colon + 1, first.to);
    fields.push({ name, bytes: Buffer.concat(chunks).subarray(0, room) });
  }
  const contentType = fields.find((field) => field.name === 'content-type')?.bytes.toString('latin1') ?? '';
  const bodyCharset = /charset\s*=\s*"?([\w.:-]{1,60})/i.exec(contentType)?.[1] ?? null;
  return fields.map(({ name, bytes }) => ({ name, value: fieldText(bytes, bodyCharset) }));
}

function fieldText(bytes: Buffer, bodyCharset: string | null): string {
  return cleanText(decodeField(bytes, bodyCharset).replace(/[\r\n]/g, ' ')).trim();
}

function decodeField(given: Buffer, bodyCharset: string | null): string {
  const bytes = isAscii(given) ? given : withoutRawBytes(given);
  if (!isAscii(bytes)) return decodeCharset(bytes, isMostlyUtf8(bytes) ? 'utf-8' : bodyCharset).text;
  // Old Japanese mail writes its headers in seven-bit JIS without declaring it.
  if (bytes.includes(0x1b)) return decodeCharset(bytes, 'iso-2022-jp').text;
  return bytes.toString('latin1');
}

/** Encodes the raw bytes inside encoded words, which are in the charset of the word. Valid UTF-8 stays as it is. */
function withoutRawBytes(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const plain = text.replace(/=\?[^?\s]{1,60}\?q\?[^?]{1,2000}\?=/gi, (word) =>
    isUtf8(Buffer.from(word, 'latin1'))
      ? word
      : word.replace(/[\x80-\xff]/g, (byte) => `=${byte.charCodeAt(0).toString(16)}`),
  );
  return plain === text ? bytes : Buffer.from(plain, 'latin1');
}

/**
 * Accepts UTF-8 with a few cut characters, because some programs truncate by bytes. Other charsets rarely look like
 * UTF-8.
 */
function isMostlyUtf8(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true;
  const text = bytes.toString('utf8');
  const damaged = text.match(/\ufffd+/g)?.length ?? 0;
  const whole = text.match(/[^\x00-\x7f\ufffd]/gu)?.length ?? 0;
  return whole > damaged * 2;
}

function splitOutsideQuotes(text: string): string[] {
  const items: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\' && isQuoted) at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === ';' && !isQuoted) {
      items.push(text.slice(from, at));
      from = at + 1;
    }
  }
  items.push(text.slice(from));
  // With an odd number of quotes the quoting is meaningless, so it must not hide the following parameters.
  return isQuoted && items.length < text.split(';').length ? text.split(';') : items;
}

function unquote(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(value);
  if (quoted !== null) return (quoted[1] ?? '').replace(/\\(.)/gs, '$1');
  // Real mail has values in single quotes and values with only one quote. A token ends at a comment.
  const token = value.replace(/\s\(.*/s, '').trim();
  const single = /^'(.*)'$/s.exec(token);
  return (single?.[1] ?? token).replace(/^"|"$/g, '');
}

function withoutComments(text: string): string {
  let plain = '';
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')' && depth > 0) depth--;
    else if (depth === 0) plain += char;
  }
  return plain;
}

function joinSections(list: readonly ParameterSection[]): string {
  const plain = list.find((section) => section.index === -1 && !section.isEncoded);
  const whole = list.find((section) => section.index === -1 && section.isEncoded);
  if (whole !== undefined) return decodeExtended([whole]);
  const numbered = list.filter((section) => section.index >= 0).sort((a, b) => a.index - b.index);
  if (numbered.length > 0) return decodeExtended(numbered);
  return cleanText(decodeWords(plain?.value ?? ''));
}

/** Decodes `charset'language'percent-encoded` (RFC 2231 §4). Only the first section names the charset. */
function decodeExtended(sections: readonly ParameterSection[]): string {
  let charset: string | null = null;
  const chunks: Buffer[] = [];
  for (const [position, section] of sections.entries()) {
    let value = section.value;
    if (position === 0 && section.isEncoded) {
      const match = /^([^']*)'[^']*'/.exec(value);
      if (match !== null) {
        charset = match[1] || null;
        value = value.slice(match[0].length);
      }
    }
    chunks.push(section.isEncoded ? percentBytes(value) : Buffer.from(value, 'utf8'));
  }
  return cleanText(decodeWords(decodeCharset(Buffer.concat(chunks), charset).text));
}

function percentBytes(value: string): Buffer {
  const chunks = value.split(/%([0-9A-Fa-f]{2})/);
  return Buffer.concat(
    chunks.map((chunk, position) => (position % 2 === 1 ? Buffer.from(chunk, 'hex') : Buffer.from(chunk, 'utf8'))),
  );
}
