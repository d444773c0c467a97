/** Takes the content out of CMS signed data (RFC 5652 §5), as opaque S/MIME signatures carry it (RFC 8551 §3.5.2). */

const SIGNED_DATA = Buffer.from('2a864886f70d010702', 'hex');
const [SEQUENCE, SET, OID, INTEGER, OCTETS, CONTEXT_0] = [0x30, 0x31, 0x06, 0x02, 0x04, 0xa0];
const OCTETS_IN_PIECES = 0x24;
/** A BER value of indefinite length ends with two zero bytes. */
const UNTIL_END = -1;
const DEPTH_MAX = 30;

type Value = { tag: number; start: number; end: number };

/**
 * Returns the signed content, or null when the bytes hold none. Needs no key, and checks no signature.
 * Reads only the way to the content, in DER and BER, so it is linear and makes no tree of hostile bytes. The libraries
 * for ASN.1 build an object for each value: a few million tiny values fill the memory.
 */
export function signedContent(bytes: Buffer): Buffer | null {
  const content = enter(bytes, 0, SEQUENCE);
  const type = content && read(bytes, content.start);
  if (type?.tag !== OID || !bytes.subarray(type.start, type.end).equals(SIGNED_DATA)) return null;
  const explicit = enter(bytes, type.end, CONTEXT_0);
  const signed = explicit && enter(bytes, explicit.start, SEQUENCE);
  const version = signed && read(bytes, signed.start);
  if (version?.tag !== INTEGER) return null;
  const digests = enter(bytes, version.end, SET);
  const afterDigests = digests && endOf(bytes, digests);
  if (afterDigests === null) return null;
  const enclosed = enter(bytes, afterDigests, SEQUENCE);
  const enclosedType = enclosed && read(bytes, enclosed.start);
  if (enclosedType?.tag !== OID) return null;
  const enclosedContent = enter(bytes, enclosedType.end, CONTEXT_0);
  return enclosedContent && octetsOf(bytes, enclosedContent.start);
}

function enter(bytes: Buffer, at: number, tag: number): Value | null {
  const value = read(bytes, at);
  return value?.tag === tag ? value : null;
}

/** Reads the tag and the length of a value. Only tags of one byte occur here. */
function read(bytes: Buffer, at: number): Value | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null;
  if (first === 0x80) return { tag, start: at + 2, end: UNTIL_END };
  if (first < 0x80) return bounded(bytes, { tag, start: at + 2, end: at + 2 + first });
  const count = first & 0x7f;
  if (count > 4 || at + 2 + count > bytes.length) return null;
  const start = at + 2 + count;
  return bounded(bytes, { tag, start, end: start + bytes.readUIntBE(at + 2, count) });
}

/** A cut file keeps what it has. */
function bounded(bytes: Buffer, value: Value): Value {
  return { ...value, end: Math.min(value.end, bytes.length) };
}

/** The end of a value, also if only its end mark shows it. */
function endOf(bytes: Buffer, value: Value): number | null {
  if (value.end !== UNTIL_END) return value.end;
  let depth = 1;
  let at = value.start;
  while (depth > 0 && depth < DEPTH_MAX) {
    const inner = read(bytes, at);
    if (inner === null) return null;
    if (inner.end === UNTIL_END) depth++;
    else if (inner.tag === 0) depth--;
    at = inner.end === UNTIL_END ? inner.start : inner.end;
  }
  return depth === 0 ? at : null;
}

/** An octet string, whole or in pieces. */
function octetsOf(bytes: Buffer, at: number): Buffer | null {
  const whole = read(bytes, at);
  if (whole === null) return null;
  if (whole.tag === OCTETS && whole.end !== UNTIL_END) return bytes.subarray(whole.start, whole.end);
  if (whole.tag !== OCTETS_IN_PIECES) return null;
  const content = Buffer.allocUnsafe(bytes.length - whole.start);
  let length = 0;
  const end = whole.end === UNTIL_END ? bytes.length : whole.end;
  for (let next = whole.start; next < end; ) {
    const piece = read(bytes, next);
    if (piece?.tag !== OCTETS || piece.end === UNTIL_END) break;
    length += bytes.copy(content, length, piece.start, piece.end);
    next = piece.end;
  }
  return content.subarray(0, length);
}
