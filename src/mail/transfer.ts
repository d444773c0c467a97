/** Content-Transfer-Encoding (RFC 2045 §6, and uuencode from before it): the bytes that the sender meant. */

/**
 * Undoes a transfer encoding named anywhere in `encoding`; an unknown or identity one gives the same bytes back.
 * Base64 that is padded in its middle (pieces glued together) is decoded piece by piece; damage is passed over.
 * Never throws; linear. The result may share the input's memory.
 */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  const name = encoding.toLowerCase().replace(/\s/g, '');
  if (name.includes('base64')) return decodeBase64(bytes);
  if (name.includes('quoted-printable')) return decodeQuotedPrintable(bytes);
  if (/^(?:x-)?uue/.test(name)) return decodeUuencode(bytes);
  return bytes;
}

/**
 * Decodes the lines between `begin 644 name` and `end`, each of which begins with its length in bytes (POSIX uuencode). A line
 * that lost its trailing blanks is filled up with zeros. Content without the first line is returned as it is.
 */
function decodeUuencode(bytes: Buffer): Buffer {
  const begin = /^begin [0-7]{3,4} [^\n]*\n/m.exec(bytes.toString('latin1'));
  if (begin === null) return bytes;
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  let at = begin.index + begin[0].length;
  while (at < bytes.length) {
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    const end = lineFeed === -1 ? bytes.length : lineFeed;
    // `e` is the beginning of `end`: as a length it would mean 69 bytes, which no line has.
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

/** Blank and grave accent are both zero, and so is the carriage return of a line that lost its blanks. */
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

/** Position after `=`, blanks and a line end (or the end of the content); `equals` itself when it is no soft break. */
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
