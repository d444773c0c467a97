/** Reads a raw mail as a tree of MIME parts (RFC 2045, 2046) in one pass over the bytes. */

import type { StructuredValue } from './header-fields.ts';
import { fieldOf, HEADER_TOO_LARGE, type HeaderBlock, readHeaderBlock, readStructured } from './header-fields.ts';
import type { MailHeader } from './mail.ts';

export type MimePart = {
  fields: readonly MailHeader[];
  contentType: StructuredValue;
  /** In lower case. Empty when the part names no disposition. */
  disposition: StructuredValue;
  /** The offsets of the transfer-encoded content in the raw mail. For a multipart, of everything inside. */
  bodyStart: number;
  bodyEnd: number;
  /** Empty unless this is a multipart with boundary lines. */
  children: MimePart[];
};

const MIME_DEPTH_MAX = 50;
const MIME_PARTS_MAX = 1_000;
/** Limits the headers of all parts together. */
const HEADERS_BYTES_MAX = 2_097_152;
/** Defects after which parts of the mail are missing. */
export const PARTS_CUT = 'too many parts: the rest not split';
export const DEPTH_CUT = 'parts nested too deep: the rest not split';

/**
 * Reads the part tree of a mail whose header begins at `start`.
 * A boundary line belongs to the innermost open multipart with that boundary. An outer boundary closes the inner
 * multiparts. Without a usable boundary, the reader guesses the boundary from the lines. Beyond the limits on depth and
 * parts, the reader stops splitting, and the last part keeps the remaining bytes.
 * Does not enter message/rfc822. Never throws. Linear in the size of the mail.
 */
export function readMimeTree(raw: Buffer, start: number): { root: MimePart; defects: string[] } {
  const defects = new Set<string>();
  const limits: Limits = { partsLeft: MIME_PARTS_MAX, headerBytesLeft: HEADERS_BYTES_MAX };
  const root = readPart(raw, start, raw.length, null, limits, defects);
  splitMultipart(raw, root, 0, limits, defects);
  return { root, defects: [...defects] };
}

type Limits = { partsLeft: number; headerBytesLeft: number };
type OpenMultipart = { part: MimePart; boundary: string };

const BOUNDARY_CHARS_MAX = 500;

function readPart(
  raw: Buffer,
  start: number,
  end: number,
  parent: MimePart | null,
  limits: Limits,
  defects: Set<string>,
): MimePart {
  const block: HeaderBlock =
    limits.headerBytesLeft > 0
      ? readHeaderBlock(raw, start, end)
      : { fields: [], bodyStart: start, sizeBytes: 0, defects: [HEADER_TOO_LARGE] };
  limits.headerBytesLeft -= block.sizeBytes;
  limits.partsLeft--;
  for (const defect of block.defects) defects.add(defect);
  const fallback = parent?.contentType.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const contentType = readStructured(fieldOf(block.fields, 'content-type') ?? fallback);
  // A type that is not of the form type/subtype counts as text/plain (RFC 2045 §5.2).
  const isType = /^[^\s/]+\/[^\s/]+$/.test(contentType.value);
  return {
    fields: block.fields,
    contentType: isType ? contentType : { value: fallback, parameters: contentType.parameters },
    disposition: readStructured(fieldOf(block.fields, 'content-disposition') ?? ''),
    bodyStart: block.bodyStart,
    bodyEnd: end,
    children: [],
  };
}

/** Fills the children of a multipart and of the multiparts within it. */
function splitMultipart(raw: Buffer, top: MimePart, depth: number, limits: Limits, defects: Set<string>): void {
  if (!isMultipart(top) || depth >= MIME_DEPTH_MAX) return;
  const named = boundaryOf(top);
  const boundary = named === '' ? guessBoundary(raw, top) : named;
  if (named === '') defects.add('a multipart without a boundary');
  if (boundary === null) return;
  walkLines(raw, top, boundary, depth, limits, defects);
  if (top.children.length > 0 || named === '') return;
  const guessed = guessBoundary(raw, top);
  if (guessed === null) {
    defects.add('a multipart whose boundary never comes');
    return;
  }
  defects.add('a boundary other than the one named');
  walkLines(raw, top, guessed, depth, limits, defects);
}

/** Transports may add blanks at the end of a boundary (RFC 2046 §5.1.1). */
function boundaryOf(part: MimePart): string {
  return (part.contentType.parameters.get('boundary') ?? '').trimEnd();
}

function isMultipart(part: MimePart): boolean {
  return part.contentType.value.startsWith('multipart/');
}

/**
 * Makes one pass over the boundary lines inside `top`. `open` is the stack of multiparts around the current line.
 * A child multipart without a usable boundary gets a pass of its own once its end is known.
 */
function walkLines(
  raw: Buffer,
  top: MimePart,
  boundary: string,
  depth: number,
  limits: Limits,
  defects: Set<string>,
): void {
  const open: OpenMultipart[] = [{ part: top, boundary }];
  const levels = new Map<string, number[]>([[boundary, [0]]]);
  const unsplit: { part: MimePart; depth: number }[] = [];
  let leaf: MimePart | null = null;
  const closeTo = (level: number, at: number) => {
    if (leaf !== null) leaf.bodyEnd = Math.max(leaf.bodyStart, at);
    leaf = null;
    for (const closed of open.splice(level + 1)) {
      closed.part.bodyEnd = Math.max(closed.part.bodyStart, at);
      levels.get(closed.boundary)?.pop();
      if (closed.part.children.length === 0) unsplit.push({ part: closed.part, depth: depth + level + 1 });
    }
  };
  let at = top.bodyStart;
  while (open.length > 0) {
    const line = nextDashLine(raw, at, top.bodyEnd);
    if (line === null) break;
    at = line.next;
    const match = matchBoundary(raw, line, levels);
    if (match === null) continue;
    closeTo(match.isClosing ? match.level - 1 : match.level, beforeLineBreak(raw, line.from));
    if (match.isClosing) continue;
    const parent = open[match.level]!.part; // levels holds only open multiparts
    if (limits.partsLeft <= 0) {
      defects.add(PARTS_CUT);
      break;
    }
    const part = readPart(raw, line.next, top.bodyEnd, parent, limits, defects);
    parent.children.push(part);
    at = Math.max(at, part.bodyStart - 1);
    const inner = boundaryOf(part);
    if (!isMultipart(part)) {
      leaf = part;
    } else if (depth + open.length >= MIME_DEPTH_MAX) {
      defects.add(DEPTH_CUT);
      leaf = part;
    } else {
      open.push({ part, boundary: inner });
      if (inner !== '') levels.set(inner, [...(levels.get(inner) ?? []), open.length - 1]);
    }
  }
  closeTo(-1, top.bodyEnd);
  for (const { part, depth: partDepth } of unsplit) {
    if (part !== top) splitMultipart(raw, part, partDepth, limits, defects);
  }
}

type DashLine = { from: number; to: number; next: number };

/** Finds the next line that begins with `--`. `to` leaves out its line end. */
function nextDashLine(raw: Buffer, at: number, end: number): DashLine | null {
  let from = at;
  const isLineStart = from === 0 || raw[from - 1] === 0x0a;
  if (!(isLineStart && raw[from] === 0x2d && raw[from + 1] === 0x2d)) {
    const found = raw.indexOf('\n--', isLineStart ? Math.max(at - 1, 0) : at, 'latin1');
    if (found === -1) return null;
    from = found + 1;
  }
  if (from >= end) return null;
  const lineFeed = raw.indexOf(0x0a, from);
  const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
  let to = next;
  while (to > from && BLANKS.has(raw[to - 1]!)) to--; // to - 1 is within the line
  return { from, to, next };
}

const BLANKS: ReadonlySet<number> = new Set([0x0a, 0x0d, 0x20, 0x09]);

function matchBoundary(
  raw: Buffer,
  line: DashLine,
  levels: ReadonlyMap<string, readonly number[]>,
): { level: number; isClosing: boolean } | null {
  if (line.to - line.from > BOUNDARY_CHARS_MAX + 4) return null;
  const text = raw.toString('utf8', line.from + 2, line.to);
  const opening = levels.get(text)?.at(-1);
  if (opening !== undefined) return { level: opening, isClosing: false };
  if (!text.endsWith('--')) return null;
  const closing = levels.get(text.slice(0, -2))?.at(-1);
  return closing === undefined ? null : { level: closing, isClosing: true };
}

/** The line break before a boundary line belongs to the boundary (RFC 2046 §5.1.1). */
function beforeLineBreak(raw: Buffer, from: number): number {
  if (from > 0 && raw[from - 1] === 0x0a) return from > 1 && raw[from - 2] === 0x0d ? from - 2 : from - 1;
  return from;
}

const GUESS_LINES_MAX = 200;

/** Returns the text of the first `--` line before a Content- header. */
function guessBoundary(raw: Buffer, part: MimePart): string | null {
  let at = part.bodyStart;
  for (let count = 0; count < GUESS_LINES_MAX; count++) {
    const line = nextDashLine(raw, at, part.bodyEnd);
    if (line === null) return null;
    at = line.next;
    const length = line.to - line.from;
    if (length < 3 || length > BOUNDARY_CHARS_MAX) continue;
    if (/^content-[a-z]+\s*:/i.test(raw.toString('latin1', line.next, Math.min(line.next + 60, part.bodyEnd)))) {
      return raw.toString('utf8', line.from + 2, line.to);
    }
  }
  return null;
}
