/** Local parts in quotes: `"john smith"@example.org` is an address too (RFC 5321 §4.1.2, RFC 5322 §3.4.1). */

/** A quoted string as a regular expression's source, without control characters. */
export const QUOTED_STRING = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\[\\x20-\\x7e])*"';

/**
 * A quoted local part in its shortest form: without quotes where it needs none, for both forms are one address, else with no
 * more escapes than needed.
 */
export function shortestLocalPart(quoted: string): string {
  const content = quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
  return DOT_ATOM.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

const DOT_ATOM = /^[^\s"(),:;<>@[\\\].\x00-\x1f\x7f]+(?:\.[^\s"(),:;<>@[\\\].\x00-\x1f\x7f]+)*$/;

/** An address list in which plain names stand for the quoted local parts, so that any reader of such lists takes it. */
export type PlainList = {
  header: string;
  /** An address of the list as it was. */
  restore(address: string): string;
};

/**
 * Puts plain names in the place of quoted local parts, in angle brackets or out of them. Quotes within comments and other
 * quotes, and those of display names, stay as they are. Linear.
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

/** A character of private use: those of a header mean nothing. */
const MARK = '\ue000';
const MARKED = new RegExp(`^${MARK}(\\d+)${MARK}`);
const IN_BRACKETS = new RegExp(`^<\\s*(${QUOTED_STRING})(@[^\\s,;<>()"]{1,255})\\s*>$`);

/** The address with a quoted local part that begins with the piece between two places, if any does. */
function addressAt(header: string, at: number, end: number): { local: string; domain: string; end: number } | null {
  const [, local, inside] = IN_BRACKETS.exec(header.slice(at, Math.min(end, at + ADDRESS_CHARS_MAX))) ?? [];
  if (local !== undefined && inside !== undefined) return { local, domain: inside, end };
  const domain = header[at] === '"' ? /^@[^\s,;<>()"]{1,255}/.exec(header.slice(end, end + 260))?.[0] : undefined;
  return domain === undefined ? null : { local: header.slice(at, end), domain, end: end + domain.length };
}

const ADDRESS_CHARS_MAX = 1_000;

/** Where a quoted string, comment or angle bracket that begins here ends; of others the next place; minus one where none does. */
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
