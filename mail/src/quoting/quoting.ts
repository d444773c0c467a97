/**
 * Separates the author's own text from the additions of the mail client: quoted mails, signatures, rules.
 * Hides text but never deletes any: returns everything else as quoted. If nothing would be left, the whole text is the
 * reply.
 * Knows the markers of RFC 3676 §4.3 and §4.5, and those of mail clients, see `quote-words.ts`.
 */
import { attributionEndingAt } from './quote-attribution.ts';
import {
  headerBlockAt,
  headerKindsOf,
  isAboveLine,
  isAddressLine,
  isApologyLine,
  isArrowLine,
  isBareDivider,
  isBarLine,
  isDashedLine,
  isDelimiterLine,
  isDisclaimerLine,
  isDividerLine,
  isOwnDeviceLine,
  isQuoteLine,
  isSentFromLine,
  markLine,
} from './quote-markers.ts';

export type TrimmedReply = {
  /** The author's lines in order. The whole text if it has no recognised quote, or if nothing else would be left. */
  reply: string;
  /** The hidden lines in order. Null when no line is hidden. */
  quoted: string | null;
};

/** A `forward` and a `cut` both end the reply. But a forward at the top is the content of the mail. */
export type LineKind = 'blank' | 'text' | 'quote' | 'attribution' | 'rule' | 'forward' | 'cut' | 'sent from' | 'hidden';

/**
 * Separates the new part of a plain-text mail from quoted text and signatures.
 * @param text the plain text of one message, with any line ends
 * Never throws. Linear in the length of the text.
 */
export function trimReply(text: string): TrimmedReply {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const isShown = shownLines(kindsOf(lines));
  const quoted = joinLines(lines.filter((line, index) => !isShown[index] && line.trim() !== ''));
  return {
    reply: joinLines(lines.filter((_, index) => isShown[index])),
    quoted: quoted === '' ? null : joinLines(lines.filter((_, index) => !isShown[index])),
  };
}

/** Tells for each line whether the reply contains it. Without a quote, or if no line would be left, all lines count. */
export function shownLines(kindsRead: readonly LineKind[]): boolean[] {
  const all = kindsRead.map(() => true);
  if (kindsRead.find((kind) => kind !== 'blank') === 'forward') return all;
  const kinds = [...kindsRead];
  cutTail(kinds);
  hideTrailingQuote(kinds);
  hideAnsweredQuote(kinds);
  if (!kinds.includes('text')) return all;
  return kinds.map((kind) => kind === 'text' || kind === 'quote' || kind === 'blank' || kind === 'rule');
}

function joinLines(lines: readonly string[]): string {
  let first = 0;
  let end = lines.length;
  while (first < end && lines[first]?.trim() === '') first++;
  while (end > first && lines[end - 1]?.trim() === '') end--;
  return lines.slice(first, end).join('\n');
}

/** Classifies each line by its text and its neighbours. */
export function kindsOf(lines: readonly string[]): LineKind[] {
  const marks = lines.map(markLine);
  const isCode = codeLines(marks);
  const kinds = marks.map((mark, line): LineKind => {
    if (mark === '') return 'blank';
    if (isCode[line]) return 'text';
    if (isArrowLine(mark)) return 'cut';
    if (isQuoteLine(mark)) return 'quote';
    if (isBarLine(mark) && (isBarLine(marks[line - 1] ?? '') || isBarLine(marks[line + 1] ?? ''))) return 'quote';
    if (isAboveLine(mark)) return 'cut';
    if (isDividerLine(mark)) return 'forward';
    if (isDelimiterLine(mark) || isLoneDash(marks, line)) return isHeadingRule(marks, line) ? 'text' : 'rule';
    return isSentFromLine(mark) ? 'sent from' : 'text';
  });
  markPgp(marks, kinds);
  markAttributions(marks, kinds, isCode);
  markQuotedAttribution(marks, kinds);
  markHeaderBlocks(marks, kinds, isCode);
  markWrappedQuotes(marks, kinds);
  settleSentFrom(marks, kinds);
  settleRules(marks, kinds);
  return kinds;
}

/** Finds fenced code, which is the author's own. A fence counts only if it is closed. */
function codeLines(marks: readonly string[]): boolean[] {
  const isCode = marks.map(() => false);
  let open: number | null = null;
  for (const [line, mark] of marks.entries()) {
    const isFence = mark.startsWith('```') || /^~~~(?!~)/.test(mark);
    if (!isFence) continue;
    if (open === null) open = line;
    else if (mark[0] === marks[open]?.[0]) {
      isCode.fill(true, open, line + 1);
      open = null;
    }
  }
  return isCode;
}

/** A dash alone on its line begins a signature, unless it stands in a list of dashes. */
function isLoneDash(marks: readonly string[], line: number): boolean {
  if (marks[line] !== '-') return false;
  return !(marks[line - 1] ?? '').startsWith('-') && !(marks[line + 1] ?? '').startsWith('-');
}

/** Recognises a heading: a title above a rule of about the same length, or between two equal rules. */
function isHeadingRule(marks: readonly string[], line: number): boolean {
  const rule = marks[line] ?? '';
  if (rule.length < 4) return false;
  const above = marks[line - 1] ?? '';
  const isApart = (marks[line - 2] ?? '') === '';
  const isTitle = !isDelimiterLine(above) && !rule.startsWith('_') && !/[.!?,]$/.test(above);
  const isAsLong = Math.abs(above.length - rule.length) <= (isApart ? 1 : 0);
  if (isTitle && isAsLong && (isApart || marks[line + 1] !== '')) return true;
  const closing = [marks[line + 2], marks[line + 3]].indexOf(rule);
  const isClosing = [marks[line - 2], marks[line - 3]].includes(rule);
  if (closing < 0 && !isClosing) return false;
  // A box with nothing below contains a disclaimer.
  const below = closing < 0 ? line + 1 : line + closing + 3;
  return [marks[below], marks[below + 1]].some((mark) => (mark ?? '') !== '');
}

/** Hides the armour lines of a clear-signed mail, and the signature at its end (RFC 9580 §7). */
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

/** An attribution belongs to the quoted lines below. Without such lines, a strong attribution hides the rest. */
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

/** Apple Mail quotes the attribution too. That matters when the mail begins with it and the answer stands below. */
function markQuotedAttribution(marks: readonly string[], kinds: LineKind[]): void {
  const first = kinds.findIndex((kind) => kind !== 'blank');
  if (kinds[first] !== 'quote') return;
  const quoted = marks.slice(first, first + 4).map((mark) => mark.replace(/^>\s?/, ''));
  for (const end of quoted.keys()) {
    if (kinds[first + end] !== 'quote') return;
    const found = attributionEndingAt(quoted, end, () => true);
    if (found?.isStrong) {
      kinds.fill('attribution', first, first + end + 1);
      return;
    }
  }
}

/** Recognises `> wrote:` below a line that opened the bracket, which is not a quote. */
function isBracketTail(marks: readonly string[], kinds: readonly LineKind[], line: number): boolean {
  return kinds[line] === 'quote' && kinds[line - 1] === 'text' && /^>\s?[^<>]{0,40}[:：]$/u.test(marks[line] ?? '');
}

function markHeaderBlocks(marks: readonly string[], kinds: LineKind[], isCode: readonly boolean[]): void {
  const headers = marks.map(headerKindsOf);
  for (let line = 0; line < kinds.length; line++) {
    if (isCode[line] || kinds[line] !== 'text') continue;
    const block = headerBlockAt(marks, headers, line);
    if (block) {
      const above = marks[line - 1] === '' ? line - 2 : line - 1;
      const firstLine = kinds[above] === 'text' && isBareDivider(marks[above] ?? '') ? above : line;
      kinds.fill('forward', firstLine, block.lastLine + 1);
      line = block.lastLine;
    } else if (isDashedLine(marks[line] ?? '') && (headers[line + 1] ?? headers[line + 2])) {
      kinds[line] = 'forward';
    }
  }
}

/** Finds the rest of a long quoted line that a client wrapped: a line without a mark between two quoted lines. */
function markWrappedQuotes(marks: readonly string[], kinds: LineKind[]): void {
  for (const [line, mark] of marks.entries()) {
    if (kinds[line] !== 'text' || kinds[line - 1] !== 'quote' || kinds[line + 1] !== 'quote') continue;
    const above = marks[line - 1] ?? '';
    const isTail = above.length >= 60 && !/[.?!:。？！]$/u.test(above);
    if (isTail && mark.length <= 40 && /^[\p{Ll}\p{N}<(]/u.test(mark)) kinds[line] = 'quote';
  }
}

/**
 * The author's own sentence may sound like "Sent from my phone". It is a sentence if a line of text follows. The app's
 * address or an apology for typing errors on the next line belongs to the signature.
 */
function settleSentFrom(marks: readonly string[], kinds: LineKind[]): void {
  for (const [line, mark] of marks.entries()) {
    const isBelow = kinds[line] === 'text' && kinds[line - 1] === 'sent from';
    if (isBelow && (isAddressLine(mark) || isApologyLine(mark))) kinds[line] = 'sent from';
  }
  for (let line = kinds.length - 1; line >= 0; line--) {
    if (kinds[line] !== 'sent from') continue;
    const isSentence = kinds[line + 1] === 'text' && !isOwnDeviceLine(marks[line] ?? '');
    kinds[line] = isSentence ? 'text' : 'hidden';
  }
}

const SHORT_RULE_CHARACTERS_MAX = 5;
const DISCLAIMER_LINES_MAX = 6;

/**
 * A short rule begins a signature. A long rule may also belong to the author's table. So a long rule ends the reply
 * only before a quote, a disclaimer or another marker, or as the last line below a blank line.
 */
function settleRules(marks: readonly string[], kinds: LineKind[]): void {
  let next: LineKind | undefined;
  for (let line = kinds.length - 1; line >= 0; line--) {
    const kind = kinds[line];
    if (kind === 'rule' && (marks[line] ?? '').replaceAll(' ', '').length > SHORT_RULE_CHARACTERS_MAX) {
      const below = marks.slice(line + 1, line + 1 + DISCLAIMER_LINES_MAX);
      const isBottom = next === undefined && kinds[line - 1] === 'text';
      if (isBottom || (next === 'text' && !below.some(isDisclaimerLine))) kinds[line] = 'text';
    }
    if (kind !== 'blank') next = kinds[line];
  }
}

/** Hides everything from the first cut, rule or forward below the author's text. */
function cutTail(kinds: LineKind[]): void {
  const firstText = kinds.indexOf('text');
  if (firstText < 0) return;
  const cut = kinds.findIndex(
    (kind, line) => line > firstText && (kind === 'cut' || kind === 'rule' || kind === 'forward'),
  );
  if (cut >= 0) kinds.fill('hidden', cut);
}

/** Hides everything below the author's last line: the quote that the author answers from above. */
function hideTrailingQuote(kinds: LineKind[]): void {
  const lastText = kinds.lastIndexOf('text');
  if (lastText >= 0) kinds.fill('hidden', lastText + 1);
}

/**
 * Hides an attributed quote at the top with one answer below. Without an attribution, or with answers between quotes,
 * the quotes belong to the reply.
 */
function hideAnsweredQuote(kinds: LineKind[]): void {
  const firstText = kinds.indexOf('text');
  const isAnswered = kinds.indexOf('attribution') >= 0 && kinds.indexOf('attribution') < firstText;
  if (isAnswered && kinds.lastIndexOf('quote') < firstText) kinds.fill('hidden', 0, firstText);
}
