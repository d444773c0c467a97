/**
 * Finds the mail that another mail forwards inside its text, by the head that the writer's program put above it: a
 * divider and a block of header lines, also quoted. Only the first head counts, so a mail that was forwarded before
 * leads to the person who sent it last.
 */
import { readAddresses } from '../addresses.ts';
import type { MailAddress } from '../mail.ts';
import { linesOf } from './html-quoting.ts';
import { headerBlockAt, headerKindsOf, markLine } from './quote-markers.ts';
import { kindsOf, type LineKind } from './quoting.ts';

export type TextForward = {
  from: MailAddress;
  /** Null when the head has none. */
  subject: string | null;
  /** What the writer of the outer mail added above, without their signature. */
  above: string;
  /** The forwarded text, without the head. */
  text: string;
};

/**
 * @param text the plain text of a mail whose subject says that it forwards. A reply may have the same head.
 * @returns null without a head, and if its From does not name exactly one address
 * Never throws. Linear in the length of the text.
 */
export function findForward(text: string): TextForward | null {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const head = findHead(lines);
  if (head === null) return null;
  const { from, subject, kinds, firstLine, bodyLine, isQuoted } = head;
  const below = lines.slice(bodyLine);
  return {
    from,
    subject,
    above: wordsAbove(lines.slice(0, firstLine), kinds),
    text: (isQuoted ? below.map(unquoted) : below).join('\n').trim(),
  };
}

/**
 * Where the forwarded mail begins in HTML, below its head. Null without a head.
 * @param html as `sanitizeHtml` returns it
 */
export function forwardedHtmlStart(html: string): number | null {
  const lines = linesOf(html);
  const head = findHead(lines.map(({ text }) => text));
  if (head === null) return null;
  const first = lines.findIndex(({ text }, line) => line >= head.bodyLine && unquoted(text).trim() !== '');
  return lines[first]?.start ?? html.length;
}

type Head = {
  from: MailAddress;
  subject: string | null;
  kinds: LineKind[];
  firstLine: number;
  bodyLine: number;
  isQuoted: boolean;
};

function findHead(lines: readonly string[]): Head | null {
  const kinds = kindsOf(lines);
  const firstLine = kinds.findIndex((kind) => ENDS_OWN_TEXT.has(kind));
  if (kinds[firstLine] !== 'forward') return null;
  const marks = lines.map((line) => markLine(unquoted(line)));
  const headers = marks.map(headerKindsOf);
  let start = firstLine;
  while (start < firstLine + DIVIDER_LINES_MAX && !headers[start]) {
    if (marks[start] !== '' && kinds[start] !== 'forward') return null;
    start++;
  }
  const block = headers[start] ? headerBlockAt(marks, headers, start) : null;
  // A whole head in one line does not show where its parts end.
  if (block === null || block.lastLine === block.firstLine) return null;
  const fieldOf = (kind: 'from' | 'subject') => {
    const line = headers.findIndex((found, at) => at >= start && at <= block.lastLine && found?.has(kind) === true);
    if (line < 0) return null;
    let end = line + 1;
    while (end <= block.lastLine && !headers[end] && marks[end] !== '') end++;
    const [first = '', ...more] = marks.slice(line, end);
    return [first.slice(first.search(/[:：]/) + 1), ...more]
      .join(' ')
      .replace(/^[\s*_]+/, '')
      .trim();
  };
  const from = readPerson(fieldOf('from') ?? '');
  if (from === null) return null;
  let bodyLine = block.lastLine + 1;
  if (!headers[block.lastLine]?.has('subject')) while (isMoreAddresses(marks[bodyLine] ?? '')) bodyLine++;
  return { from, subject: fieldOf('subject'), kinds, firstLine, bodyLine, isQuoted: kinds[start] === 'quote' };
}

/** What may stand below the writer's own words. The first of these has to be the head. */
const ENDS_OWN_TEXT: ReadonlySet<LineKind> = new Set(['forward', 'cut', 'attribution', 'quote']);
const DIVIDER_LINES_MAX = 6;

/** Apple Mail quotes what it forwards, the head included. */
function unquoted(line: string): string {
  return line.replace(/^\s?>\s?/, '');
}

/** The rest of a list of recipients that was wrapped. */
function isMoreAddresses(mark: string): boolean {
  return mark.includes('@') && (/[>,;]$/.test(mark) || !mark.includes(' '));
}

const PERSON_CHARACTERS_MAX = 500;
const ADDRESS = /[^\s<>()[\]"'“”„;:,*]{1,64}@[^\s<>()[\]"'“”„;:,*]{1,255}/g;

/** Reads `Eva <eva@…>`, `Eva [mailto:eva@…]` or `eva@…`. Two addresses leave in doubt who wrote. */
function readPerson(value: string): MailAddress | null {
  if (value.length > PERSON_CHARACTERS_MAX) return null;
  const emails = value.match(ADDRESS) ?? [];
  const [first] = emails;
  if (first === undefined || emails.some((email) => email.toLowerCase() !== first.toLowerCase())) return null;
  const [read] = readAddresses(first);
  if (read === undefined) return null;
  const name = value.slice(0, Math.min(...[...'<[('].map((sign) => value.indexOf(sign)).filter((at) => at >= 0)));
  return { email: read.email, name: name.includes('@') ? null : bare(name) || null };
}

function bare(name: string): string {
  const signs = new Set([...'"\'“”„*, ']);
  let [start, end] = [0, name.length];
  while (start < end && signs.has(name[start] ?? '')) start++;
  while (end > start && signs.has(name[end - 1] ?? '')) end--;
  return name.slice(start, end);
}

function wordsAbove(lines: readonly string[], kinds: readonly LineKind[]): string {
  const first = lines.findIndex((_, line) => kinds[line] !== 'blank');
  if (kinds[first] !== 'text') return '';
  const rule = lines.findIndex((_, line) => line > first && kinds[line] === 'rule');
  return lines
    .slice(0, rule < 0 ? lines.length : rule)
    .filter((_, line) => kinds[line] !== 'hidden')
    .join('\n')
    .trim();
}
