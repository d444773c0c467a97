/**
 * Splits what a writer added to a mail from what his mail client put around it: quoted mails, signatures, rules.
 * Only hides, never deletes: whatever is not the reply is handed back as quoted, and when nothing would be left the
 * whole text is the reply. Markers: RFC 3676 §4.3 and §4.5, and the clients' own, see `quote-words.ts`.
 */
import { attributionEndingAt } from './quote-attribution.ts';
import {
  headerBlockAt,
  headerKindsOf,
  isAboveLine,
  isBarLine,
  isDashedLine,
  isDelimiterLine,
  isDividerLine,
  isQuoteLine,
  isSentFromLine,
  markLine,
} from './quote-markers.ts';

export type TrimmedReply = {
  /** Lines the writer added, in their order; the whole text when no quote is recognised or nothing else is left. */
  reply: string;
  /** The lines left out, in their order; null when there are none. */
  quoted: string | null;
};

/** A `forward` and a `cut` both end the reply; a forward that leads the mail is the mail. */
type LineKind = 'blank' | 'text' | 'quote' | 'attribution' | 'rule' | 'forward' | 'cut' | 'hidden';

/**
 * Separates the new part of a plain-text mail from quoted text and signatures.
 * @param text plain text of one message, any line ends
 * Never throws; linear in the length of the text.
 */
export function trimReply(text: string): TrimmedReply {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const kinds = kindsOf(lines);
  if (kinds.find((kind) => kind !== 'blank') === 'forward') return { reply: joinLines(lines), quoted: null };
  cutTail(kinds);
  hideTrailingQuote(kinds);
  hideAnsweredQuote(kinds);
  if (!kinds.includes('text')) return { reply: joinLines(lines), quoted: null };
  const isReply = (kind: LineKind | undefined) =>
    kind === 'text' || kind === 'quote' || kind === 'blank' || kind === 'rule';
  const quoted = joinLines(lines.filter((line, index) => !isReply(kinds[index]) && line.trim() !== ''));
  return {
    reply: joinLines(lines.filter((_, index) => isReply(kinds[index]))),
    quoted: quoted === '' ? null : joinLines(lines.filter((_, index) => !isReply(kinds[index]))),
  };
}

function joinLines(lines: readonly string[]): string {
  let first = 0;
  let end = lines.length;
  while (first < end && lines[first]?.trim() === '') first++;
  while (end > first && lines[end - 1]?.trim() === '') end--;
  return lines.slice(first, end).join('\n');
}

function kindsOf(lines: readonly string[]): LineKind[] {
  const marks = lines.map(markLine);
  const isCode = codeLines(marks);
  const kinds = marks.map((mark, line): LineKind => {
    if (mark === '') return 'blank';
    if (isCode[line]) return 'text';
    if (isQuoteLine(mark)) return 'quote';
    if (isBarLine(mark) && (isBarLine(marks[line - 1] ?? '') || isBarLine(marks[line + 1] ?? ''))) return 'quote';
    if (isAboveLine(mark)) return 'cut';
    if (isDividerLine(mark)) return 'forward';
    if (isDelimiterLine(mark)) return isHeadingRule(marks, line) ? 'text' : 'rule';
    return isSentFromLine(mark) ? 'hidden' : 'text';
  });
  markPgp(marks, kinds);
  markAttributions(marks, kinds, isCode);
  markHeaderBlocks(marks, kinds, isCode);
  markWrappedQuotes(marks, kinds);
  return kinds;
}

/** Fenced code is the writer's own; a fence that is never closed is no fence. */
function codeLines(marks: readonly string[]): boolean[] {
  const isCode = marks.map(() => false);
  let open: number | null = null;
  for (const [line, mark] of marks.entries()) {
    if (!mark.startsWith('```')) continue;
    if (open === null) open = line;
    else {
      isCode.fill(true, open, line + 1);
      open = null;
    }
  }
  return isCode;
}

/** `Title` over a rule of its own length, or between two equal rules, is a heading. */
function isHeadingRule(marks: readonly string[], line: number): boolean {
  const rule = marks[line] ?? '';
  if (rule.length < 4) return false;
  const above = marks[line - 1] ?? '';
  if (above.length === rule.length && !isDelimiterLine(above) && marks[line + 1] !== '') return true;
  const near = [marks[line - 2], marks[line - 3], marks[line + 2], marks[line + 3]];
  return near.includes(rule);
}

/** Armour lines of a clear-signed mail, and its signature at the end (RFC 9580 §7). */
function markPgp(marks: readonly string[], kinds: LineKind[]): void {
  for (const [line, mark] of marks.entries()) {
    if (mark === '-----BEGIN PGP SIGNED MESSAGE-----') {
      kinds[line] = 'hidden';
      if (/^Hash: \S+/.test(marks[line + 1] ?? '')) kinds[line + 1] = 'hidden';
    } else if (mark === '-----BEGIN PGP SIGNATURE-----') {
      const end = marks.indexOf('-----END PGP SIGNATURE-----', line);
      kinds.fill('hidden', line, end < 0 ? marks.length : end + 1);
      if (end < 0) return;
    }
  }
}

/** Where quoted lines follow, the attribution belongs to them; where none do, a strong one cuts the rest off. */
function markAttributions(marks: readonly string[], kinds: LineKind[], isCode: readonly boolean[]): void {
  const isOpen = (line: number) => kinds[line] === 'text' && !isCode[line];
  const follows: (LineKind | undefined)[] = [];
  let following: LineKind | undefined;
  for (let line = kinds.length - 1; line >= 0; line--) {
    follows[line] = following;
    if (kinds[line] !== 'blank') following = kinds[line];
  }
  for (let line = 0; line < kinds.length; line++) {
    if (isCode[line] || !(isOpen(line) || isBracketTail(marks, kinds, line))) continue;
    const found = attributionEndingAt(marks, line, isOpen);
    const hasQuote = follows[line] === 'quote';
    if (!found || !(found.isStrong || hasQuote)) continue;
    kinds.fill(hasQuote ? 'attribution' : 'cut', found.firstLine, found.lastLine + 1);
  }
}

/** `> wrote:` under a line that opened the bracket is no quote. */
function isBracketTail(marks: readonly string[], kinds: readonly LineKind[], line: number): boolean {
  return kinds[line] === 'quote' && kinds[line - 1] === 'text' && /^>\s?[^<>]{0,40}[:：]$/u.test(marks[line] ?? '');
}

function markHeaderBlocks(marks: readonly string[], kinds: LineKind[], isCode: readonly boolean[]): void {
  const headers = marks.map(headerKindsOf);
  for (let line = 0; line < kinds.length; line++) {
    if (isCode[line] || kinds[line] !== 'text') continue;
    const block = headerBlockAt(marks, headers, line);
    if (block) {
      kinds.fill('forward', block.firstLine, block.lastLine + 1);
      line = block.lastLine;
    } else if (isDashedLine(marks[line] ?? '') && (headers[line + 1] ?? headers[line + 2])) {
      kinds[line] = 'forward';
    }
  }
}

/** A long quoted line that a client broke: its tail stands without a mark between two marked lines. */
function markWrappedQuotes(marks: readonly string[], kinds: LineKind[]): void {
  for (const [line, mark] of marks.entries()) {
    if (kinds[line] !== 'text' || kinds[line - 1] !== 'quote' || kinds[line + 1] !== 'quote') continue;
    const above = marks[line - 1] ?? '';
    const isTail = above.length >= 60 && !/[.?!:。？！]$/u.test(above);
    if (isTail && mark.length <= 40 && /^[\p{Ll}\p{N}<(]/u.test(mark)) kinds[line] = 'quote';
  }
}

/** Everything from the first cut or rule that has text of the writer's above it. */
function cutTail(kinds: LineKind[]): void {
  const firstText = kinds.indexOf('text');
  if (firstText < 0) return;
  const cut = kinds.findIndex(
    (kind, line) => line > firstText && (kind === 'cut' || kind === 'rule' || kind === 'forward'),
  );
  if (cut >= 0) kinds.fill('hidden', cut);
}

/** Quoted text below the writer's last line is what he answered from above. */
function hideTrailingQuote(kinds: LineKind[]): void {
  const lastText = kinds.lastIndexOf('text');
  if (lastText >= 0) kinds.fill('hidden', lastText + 1);
}

/**
 * One attributed quote at the very top, answered once below it, is hidden; without its attribution, or when answers
 * stand between quotes, the quotes are part of what the writer says.
 */
function hideAnsweredQuote(kinds: LineKind[]): void {
  const firstText = kinds.indexOf('text');
  const isAnswered = kinds.indexOf('attribution') >= 0 && kinds.indexOf('attribution') < firstText;
  if (isAnswered && kinds.lastIndexOf('quote') < firstText) kinds.fill('hidden', 0, firstText);
}
