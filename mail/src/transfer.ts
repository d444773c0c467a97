/** Decodes Content-Transfer-Encoding (RFC 2045 §6) and the older uuencode. */

/**
 * Decodes the transfer encoding that appears anywhere in `encoding`. Returns the same bytes for an unknown or identity
 * encoding. Decodes concatenated base64, which has padding in its middle, piece by piece. Ignores damage.
 * Never throws. Linear. The result may share the input's memory.
 */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  const name = encoding.toLowerCase().replace(/\s/g, '');
  if (name.includes('base64')) return decodeBase64(bytes);
  if (name.includes('quoted-printable')) return decodeQuotedPrintable(bytes);
  if (/^(?:x-)?uue/.test(name)) return decodeUuencode(bytes);
  return bytes;
}

/**
 * Decodes the lines between `begin 644 name` and `end` (POSIX uuencode). Each line begins with its length in bytes.
 * Pads a line that lost its trailing blanks with zeros. Returns content without the first line unchanged.
 */
function decodeUuencode(bytes: Buffer): Buffer {
  const begin = /^begin [0-7]{3,4} [^\r\n]*\r?\n/m.exec(bytes.toString('latin1'));
  if (begin === null) return bytes;
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  let at = begin.index + begin[0].length;
  while (at < bytes.length) {
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    const end = lineFeed === -1 ? bytes.length : lineFeed;
    // An `e` begins the word `end`. As a length it would mean 69 bytes, which no line has.
    if (end - at <= 1 || bytes[at] === 0x65) break;
    const bytesOfLine = sextet(bytes[at]);
    for (let index = 0; index < bytesOfLine; index++) {
      const from = at + 1 + Math.floor(index / 3) * 4 + (index % 3);
      const [high, low] = [from, from + 1].map((place) => (place < end ? sextet(bytes[place]) : 0));
      const shift = 2 * (index % 3) + 2;
      decoded[length++] = (((high ?? 0) << shift) | ((low ?? 0) >> (6 - shift))) & 255;
    }
    at = end + 1;
  }
  return decoded.subarray(0, length);
}

/** A blank and a grave accent both mean zero. So does the carriage return of a line that lost its blanks. */
function sextet(code = 0x20): number {
  return code < 0x20 ? 0 : (code - 0x20) & 63;
}

function decodeBase64(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const padding = text.indexOf('=');
  if (padding === -1 || /^[=\s]*$/.test(text.slice(padding))) return Buffer.from(text, 'base64');
  return Buffer.concat(text.split(/=+/).map((piece) => Buffer.from(piece, 'base64')));
}

const EQUALS = 0x3d;
const LINE_FEED = 0x0a;

function decodeQuotedPrintable(bytes: Buffer): Buffer {
  let from = 0;
  let equals = bytes.indexOf(EQUALS);
  if (equals === -1) return bytes;
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  while (equals !== -1) {
    length += bytes.copy(decoded, length, from, equals);
    const high = hexDigit(bytes[equals + 1]);
    const low = hexDigit(bytes[equals + 2]);
    if (high >= 0 && low >= 0) {
      decoded[length++] = (high << 4) | low;
      from = equals + 3;
    } else {
      from = afterSoftBreak(bytes, equals);
      if (from === equals) {
        decoded[length++] = EQUALS;
        from = equals + 1;
      }
    }
    equals = bytes.indexOf(EQUALS, from);
  }
  length += bytes.copy(decoded, length, from);
  return decoded.subarray(0, length);
}

const SOFT_BREAK_BLANKS_MAX = 100;

/**
 * Returns the offset after `=`, blanks and a line end (or the end of the content). Returns `equals` if no soft break is
 * there.
 */
function afterSoftBreak(bytes: Buffer, equals: number): number {
  let at = equals + 1;
  while (at - equals < SOFT_BREAK_BLANKS_MAX && (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d)) at++;
  if (at >= bytes.length) return bytes.length;
  return bytes[at] === LINE_FEED ? at + 1 : equals;
}

function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const SAMPLE_BYTES = 8_192;

/** Whether a text that is labelled base64 looks like it, perhaps with other text behind it or damage in it. */
export function isBase64(bytes: Buffer): boolean {
  const sample = bytes.toString('latin1', 0, SAMPLE_BYTES).trim();
  const [first = ''] = sample.split('\n', 1);
  if (/^[a-z0-9+/_-]{20,}=*\r?$/i.test(first)) return true;
  const others = sample.match(/[^a-z0-9+/=_\r\n-]/gi)?.length ?? 0;
  // No base64 has this length.
  const isWord = sample.length % 4 === 1 && /^[a-z0-9]+$/i.test(sample);
  return others * 20 <= sample.length && !isWord;
}
