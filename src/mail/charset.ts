/** Bytes to text, by whatever name the mail gives its charset. */
import { isAscii, isUtf8 } from 'node:buffer';

export type DecodedText = {
  text: string;
  /** True when the charset was named, known, and every byte fitted it. */
  isCertain: boolean;
};

/**
 * Decodes bytes by a charset label as mails write it: quoted, with an RFC 2231 language tag, upper case, vendor prefix.
 * A missing or unknown label, and 8-bit bytes called us-ascii, are read as UTF-8 when valid, else as windows-1252;
 * so is text called UTF-8 whose bytes are mostly something else. A leading byte order mark is dropped.
 * Never throws; the text may hold U+FFFD and U+0000, see cleanText.
 */
export function decodeCharset(bytes: Uint8Array, label: string | null): DecodedText {
  const buffer = asBuffer(bytes);
  const charset = label === null ? null : resolveCharset(label);
  if (charset === null || charset === 'us-ascii') {
    if (isAscii(buffer) && charset !== null) return { text: buffer.toString('latin1'), isCertain: true };
    return { text: guessText(buffer), isCertain: false };
  }
  if (charset === 'utf-8') return decodeUtf8(buffer);
  if (charset === 'utf-7') return withCertainty(decodeUtf7(buffer.toString('latin1')));
  if (charset === 'iso-2022-kr') return withCertainty(decodeShifted(buffer, SHIFT_OUT, SHIFT_IN, 'euc-kr'));
  if (charset === 'hz-gb-2312') return withCertainty(decodeHz(buffer));
  // "utf-16" means either order, and its byte order mark says which.
  const isBigEndian = charset === 'utf-16le' && buffer[0] === 0xfe && buffer[1] === 0xff;
  return withCertainty(new TextDecoder(isBigEndian ? 'utf-16be' : charset).decode(buffer));
}

/** Makes text storable: no U+0000 (PostgreSQL refuses it), no lone surrogates. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
}

/** A view on the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const LABEL_CHARS_MAX = 100;

/** Labels that WHATWG's list lacks or reads too narrowly; keys are lower case without separators and `x-`/`cs` prefix. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'us-ascii': 'usascii ascii ansix341968 ansix341986 iso646us us cp367 ibm367 646',
    'utf-8': 'utf8 utf8mb4 utf8n unicode11utf8 cp65001 65001',
    'utf-7': 'utf7 unicode11utf7 unicode20utf7 cp65000',
    'windows-1252': 'iso88591 88591 iso885911987 latin1 iso8859 cp819 ansi cp1252 windows1252 win1252 1252 cpansi',
    // GB 18030 contains GBK, which contains GB 2312: mail called gb2312 uses all of it.
    gb18030: 'gb2312 gb23121980 gb231280 gbk cp936 ms936 windows936 euccn gb180302000 gb180302005 chinese',
    'euc-kr': 'ksc56011987 ksc56011989 ksc5601 ks56011987 cp949 ms949 windows949 uhc euckr korean cp51949',
    shift_jis: 'shiftjis sjis cp932 ms932 windows31j mskanji ibm943 cp943c sjisopen',
    'iso-2022-jp': 'iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 cp50222 junet',
    'euc-jp': 'eucjp eucjpms cp51932 ujis',
    'iso-2022-kr': 'iso2022kr',
    'hz-gb-2312': 'hzgb2312 hz',
    big5: 'big5 big5hkscs cp950 ms950 windows950 cnbig5 bigfive',
    'windows-874': 'tis620 cp874 iso885911 windows874',
    'iso-8859-8': 'iso88598 iso88598i iso88598e',
    macintosh: 'macroman macintosh mac',
  }).flatMap(([charset, names]) => names.split(' ').map((name): [string, string] => [name, charset])),
);

function resolveCharset(label: string): string | null {
  const plain = label
    .slice(0, LABEL_CHARS_MAX)
    .toLowerCase()
    .replace(/[*].*$/s, '')
    .replace(/["'\s,;]/g, '');
  const squeezed = plain.replace(/^(?:x-|cs)/, '').replace(/[^a-z0-9]/g, '');
  const alias = ALIASES.get(squeezed);
  if (alias !== undefined) return alias;
  for (const candidate of [plain, plain.replace(/^x-/, ''), plain.replace(/^(?:cp|win|ms)-?(?=125\d$)/, 'windows-')]) {
    // x-user-defined maps bytes to private characters: mail that says it means "unknown".
    if (candidate === 'x-user-defined' || candidate === 'replacement') continue;
    try {
      return new TextDecoder(candidate).encoding;
    } catch {
      // Not a label of the Encoding Standard: the next spelling, or the guess.
    }
  }
  return null;
}

function withCertainty(text: string): DecodedText {
  return { text, isCertain: !text.includes('\ufffd') };
}

function guessText(buffer: Buffer): string {
  if (isUtf8(buffer)) return withoutBom(buffer.toString('utf8'));
  return new TextDecoder('windows-1252').decode(buffer);
}

function decodeUtf8(buffer: Buffer): DecodedText {
  const text = withoutBom(buffer.toString('utf8'));
  if (isUtf8(buffer)) return { text, isCertain: true };
  // A cut or damaged character leaves the rest readable; text of another charset is damaged nearly everywhere.
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

/** RFC 2152: `+` base64 of UTF-16BE `-`, and `+-` for a plus. */
function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_whole, encoded: string) => {
    if (encoded === '') return '+';
    const units = Buffer.from(encoded, 'base64');
    return new TextDecoder('utf-16be').decode(units.subarray(0, units.length - (units.length % 2)));
  });
}

/** RFC 1557: between SO and SI each byte stands for itself with the high bit set. */
function decodeShifted(buffer: Buffer, shiftOut: number, shiftIn: number, charset: string): string {
  const bytes = Buffer.alloc(buffer.length);
  let length = 0;
  let isShifted = false;
  for (let at = 0; at < buffer.length; at++) {
    const byte = buffer[at]!; // at is below the length
    if (byte === 0x1b && buffer.toString('latin1', at + 1, at + 4) === '$)C') at += 3;
    else if (byte === shiftOut) isShifted = true;
    else if (byte === shiftIn) isShifted = false;
    else {
      if (byte === 0x0a) isShifted = false;
      bytes[length++] = isShifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder(charset).decode(bytes.subarray(0, length));
}

/** RFC 1843: `~{` and `~}` switch, `~~` is a tilde, `~` at a line's end joins lines. */
function decodeHz(buffer: Buffer): string {
  const marked = Buffer.from(
    buffer.toString('latin1').replace(/~(~|\{|\}|\r?\n)/g, (_whole, mark: string) => HZ_MARKS[mark] ?? ''),
    'latin1',
  );
  return decodeShifted(marked, SHIFT_OUT, SHIFT_IN, 'gb18030');
}

const HZ_MARKS: Record<string, string> = { '~': '~', '{': '\x0e', '}': '\x0f' };
