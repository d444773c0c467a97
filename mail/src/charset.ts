/** Decodes bytes to text by the charset label in a mail. */
import { isAscii, isUtf8 } from 'node:buffer';
import { decode as iconvDecode } from 'iconv-lite';
import { type Charset, resolveCharset } from './charset-labels.ts';

export type DecodedText = {
  text: string;
  /** True when the label names a known charset and every byte is valid in it. */
  isCertain: boolean;
};

/**
 * Decodes bytes by a charset label as mails write it. Accepts quotes, an RFC 2231 language tag, upper case and vendor
 * prefixes.
 * - A missing or unknown label, or 8-bit bytes labelled us-ascii: decodes as UTF-8 if valid, else as windows-1252.
 * - Text labelled UTF-8 that is mostly invalid: decodes as windows-1252.
 * - Bytes that are invalid in the named charset: decodes as UTF-8 if valid. For ISO-2022-JP also tries EUC-JP and
 *   Shift_JIS.
 * Drops a leading byte order mark. Never throws. The text may contain U+FFFD and U+0000, see cleanText.
 */
export function decodeCharset(bytes: Uint8Array, label: string | null): DecodedText {
  const buffer = asBuffer(bytes);
  const charset = label === null ? null : resolveCharset(label);
  if (charset === null) return { text: guessText(buffer), isCertain: false };
  if (charset.name === 'us-ascii') {
    if (isAscii(buffer)) return { text: buffer.toString('latin1'), isCertain: true };
    return { text: guessText(buffer), isCertain: false };
  }
  if (charset.name === 'utf-8') return decodeUtf8(buffer);
  const text = decodeNamed(buffer, charset);
  if (fits(buffer, charset, text)) return { text, isCertain: true };
  const meant = isAscii(buffer) ? undefined : decodeAsMeant(buffer, charset);
  return { text: meant ?? text, isCertain: false };
}

function decodeNamed(buffer: Buffer, { name, decoder }: Charset): string {
  if (decoder === 'iconv') return iconvDecode(buffer, name);
  switch (name) {
    case 'utf-7':
      return decodeUtf7(buffer.toString('latin1'));
    case 'iso-2022-jp':
      return new TextDecoder(name).decode(withoutIdleEscapes(buffer));
    case 'iso-2022-kr':
      return decodeShifted(buffer, 'euc-kr');
    case 'hz-gb-2312':
      return decodeHz(buffer);
    case 'gb2312':
      return new TextDecoder('gb18030').decode(buffer);
    default: {
      // "utf-16" allows either byte order, and the byte order mark tells which.
      const isBigEndian = name === 'utf-16le' && buffer[0] === 0xfe && buffer[1] === 0xff;
      return new TextDecoder(isBigEndian ? 'utf-16be' : name).decode(buffer);
    }
  }
}

/**
 * Mail labelled gb2312 may use the larger GBK, where nearly every byte pair is valid. So bytes that are valid UTF-8
 * count as GB 2312 only when every pair is in GB 2312 itself.
 */
function fits(buffer: Buffer, { name }: Charset, text: string): boolean {
  if (text.includes('\ufffd')) return false;
  if (name !== 'gb2312' || isAscii(buffer) || !isUtf8(buffer)) return true;
  return /^(?:[\x00-\x7f]|[\xa1-\xf7][\xa1-\xfe])*$/.test(buffer.toString('latin1'));
}

/** Decodes bytes that are invalid in the named charset. Returns undefined when no other charset fits. */
function decodeAsMeant(buffer: Buffer, { name }: Charset): string | undefined {
  const isJis = name === 'iso-2022-jp';
  // An escape shows that part of the text is ISO-2022-JP after all.
  if (isJis && buffer.includes(ESCAPE)) return undefined;
  if (isUtf8(buffer)) return withoutBom(buffer.toString('utf8'));
  if (!isJis) return undefined;
  return ['euc-jp', 'shift_jis']
    .map((candidate) => new TextDecoder(candidate).decode(buffer))
    .find((text) => !text.includes('\ufffd'));
}

/** Removes U+0000, which PostgreSQL refuses, and replaces lone surrogates. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
}

/** Returns a view of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether the charset of a label can be decoded. */
export function isKnownCharset(label: string): boolean {
  return resolveCharset(label) !== null;
}

/**
 * Whether a piece of text in a stateful charset ends before it returns to ASCII. A complete text or encoded word must
 * return to ASCII (RFC 1468, RFC 1557, RFC 1843), so the next piece continues an incomplete piece.
 * @returns undefined when nothing in the piece changes the state
 */
export function breaksOff(bytes: Buffer, label: string): boolean | undefined {
  const text = bytes.toString('latin1');
  switch (resolveCharset(label)?.name) {
    case 'iso-2022-jp': {
      if (/\x1b[$(]?$/.test(text)) return true;
      const last = text.lastIndexOf('\x1b');
      return last === -1 ? undefined : !/^\x1b\([BJ]/.test(text.slice(last, last + 3));
    }
    case 'iso-2022-kr':
      return endsWithin(text, '\x0e', '\x0f');
    case 'hz-gb-2312':
      return endsWithin(text, '~{', '~}');
    default:
      return false;
  }
}

function endsWithin(text: string, begin: string, end: string): boolean | undefined {
  if (!text.includes(begin) && !text.includes(end)) return undefined;
  return text.lastIndexOf(begin) > text.lastIndexOf(end);
}

/**
 * Whether each piece of text in this charset begins and ends in ASCII (in UTF-7: outside base64). Then each piece can
 * be decoded on its own.
 */
export function isStateful(label: string): boolean {
  return STATEFUL.has(resolveCharset(label)?.name ?? '');
}

const STATEFUL: ReadonlySet<string> = new Set(['iso-2022-jp', 'iso-2022-kr', 'hz-gb-2312', 'utf-7']);
const ESCAPE = 0x1b;

/**
 * Removes escapes right before another escape. They have no effect, but the Encoding Standard's decoder reports an
 * error.
 */
function withoutIdleEscapes(buffer: Buffer): Buffer {
  if (!buffer.includes(ESCAPE)) return buffer;
  const text = buffer.toString('latin1');
  const plain = text.replace(/(?:\x1b(?:\([A-Z]|\$\(?[A-Z@]))+(?=\x1b(?:\([A-Z]|\$\(?[A-Z@]))/g, '');
  return plain === text ? buffer : Buffer.from(plain, 'latin1');
}

function guessText(buffer: Buffer): string {
  if (isUtf8(buffer)) return withoutBom(buffer.toString('utf8'));
  return new TextDecoder('windows-1252').decode(buffer);
}

function decodeUtf8(buffer: Buffer): DecodedText {
  const text = withoutBom(buffer.toString('utf8'));
  if (isUtf8(buffer)) return { text, isCertain: true };
  // A cut or damaged character leaves the rest readable. Text in another charset is invalid nearly everywhere.
  let damaged = 0;
  let foreign = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) damaged++;
    else if (code > 0x7f) foreign++;
  }
  if (damaged > foreign) return { text: new TextDecoder('windows-1252').decode(buffer), isCertain: false };
  return { text, isCertain: false };
}

function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** UTF-7 writes base64 of UTF-16BE between `+` and `-`, and a plus as `+-` (RFC 2152). */
function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_whole, encoded: string) => {
    if (encoded === '') return '+';
    const units = Buffer.from(encoded, 'base64');
    return new TextDecoder('utf-16be').decode(units.subarray(0, units.length - (units.length % 2)));
  });
}

const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;

/** Sets the high bit of each byte between SO and SI (RFC 1557). */
function decodeShifted(buffer: Buffer, charset: string): string {
  const bytes = Buffer.alloc(buffer.length);
  let length = 0;
  let isShifted = false;
  for (let at = 0; at < buffer.length; at++) {
    const byte = buffer[at]!; // at is below the length
    if (byte === 0x1b && buffer.toString('latin1', at + 1, at + 4) === '$)C') at += 3;
    else if (byte === SHIFT_OUT) isShifted = true;
    else if (byte === SHIFT_IN) isShifted = false;
    else {
      if (byte === 0x0a) isShifted = false;
      bytes[length++] = isShifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder(charset).decode(bytes.subarray(0, length));
}

/** `~{` and `~}` switch the charset, `~~` is a tilde, and `~` at a line end joins lines (RFC 1843). */
function decodeHz(buffer: Buffer): string {
  const marked = Buffer.from(
    buffer.toString('latin1').replace(/~(~|\{|\}|\r?\n)/g, (_whole, mark: string) => HZ_MARKS[mark] ?? ''),
    'latin1',
  );
  return decodeShifted(marked, 'gb18030');
}

const HZ_MARKS: Record<string, string> = { '~': '~', '{': '\x0e', '}': '\x0f' };
