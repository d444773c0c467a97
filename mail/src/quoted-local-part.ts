/** Handles quoted local parts: `"john smith"@example.org` is a valid address (RFC 5321 §4.1.2, RFC 5322 §3.4.1). */

/** The source of a regular expression for a quoted string without control characters. */
export const QUOTED_STRING = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\[\\x20-\\x7e])*"';

/**
 * Returns the shortest form of a quoted local part: without quotes if it needs none, else with as few escapes as
 * possible.
 * Both forms are the same address.
 */
export function shortestLocalPart(quoted: string): string {
  const content = quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
  return DOT_ATOM.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

const DOT_ATOM = /^[^\s"(),:;<>@[\\\].\x00-\x1f\x7f]+(?:\.[^\s"(),:;<>@[\\\].\x00-\x1f\x7f]+)*$/;

/** An address list with placeholders for quoted local parts, so that any parser of such lists accepts it. */
export type PlainList = {
  header: string;
  /** Puts the quoted local part back into an address of the list. */
  restore(address: string): string;
};

/**
 * Replaces quoted local parts with placeholders, inside angle brackets or outside. Keeps display names, comments and
 * nested quotes. Linear.
 */
export function withoutQuotedLocalParts(written: string): PlainList {
  if (!/"\s*@/.test(written)) return { header: written, restore: (address) => address };
  const header = written.replaceAll(MARK, '');
  const locals: string[] = [];
  let plain = '';
  let from = 0;
  let at = 0;
  while (at < header.length) {
    const end = endOfPiece(header, at);
    if (end === -1) break;
    const found = header[at] === '"' || header[at] === '<' ? addressAt(header, at, end) : null;
    if (found !== null) {
      plain += `${header.slice(from, at)}<${MARK}${locals.length}${MARK}${found.domain}>`;
      locals.push(shortestLocalPart(found.local));
      from = found.end;
    }
    at = found?.end ?? end;
  }
  const restore = (address: string) => address.replace(MARKED, (_, index: string) => locals[Number(index)] ?? '');
  return { header: plain + header.slice(from), restore };
}

/** A private-use character, which has no meaning in a header. */
const MARK = '\ue000';
const MARKED = new RegExp(`^${MARK}(\\d+)${MARK}`);
const IN_BRACKETS = new RegExp(`^<\\s*(${QUOTED_STRING})(@[^\\s,;<>()"]{1,255})\\s*>$`);

/** Returns the address whose quoted local part, or angle bracket, spans from `at` to `end`. Null for anything else. */
function addressAt(header: string, at: number, end: number): { local: string; domain: string; end: number } | null {
  const [, local, inside] = IN_BRACKETS.exec(header.slice(at, Math.min(end, at + ADDRESS_CHARS_MAX))) ?? [];
  if (local !== undefined && inside !== undefined) return { local, domain: inside, end };
  const domain = header[at] === '"' ? /^@[^\s,;<>()"]{1,255}/.exec(header.slice(end, end + 260))?.[0] : undefined;
  return domain === undefined ? null : { local: header.slice(at, end), domain, end: end + domain.length };
}

const ADDRESS_CHARS_MAX = 1_000;

/**
 * Returns the end of the quoted string, comment or angle bracket at this offset, or -1 if it is never closed. For any
 * other character, returns the next offset.
 */
function endOfPiece(text: string, at: number): number {
  const closing = CLOSING[text[at] ?? ''];
  if (closing === undefined) return at + 1;
  let isQuoted = false;
  for (let next = at + 1; next < text.length; next++) {
    const char = text[next];
    if (char === '\\') next++;
    else if (char === closing && !isQuoted) return next + 1;
    else if (char === '"' && closing === '>') isQuoted = !isQuoted;
  }
  return -1;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '(': ')', '<': '>' };
