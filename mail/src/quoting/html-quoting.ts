/**
 * Finds the quotes above or below the author's own words in HTML. Reads the HTML as lines, where lines in a blockquote
 * count as quoted, and applies the rules for plain text (`quoting.ts`). In doubt, a line counts as the author's own.
 */
import { unescapeHtml } from '../html/html-text.ts';
import { kindsOf, type LineKind, shownLines } from './quoting.ts';

/**
 * @param html as `sanitizeHtml` returns it
 * @returns the start and end offset of each quoted part, in order. Null when there is nothing to fold.
 * Never throws. Linear in the length of the HTML.
 */
export function quotedRanges(html: string): number[] | null {
  const lines = linesOf(html);
  const kinds = kindsOf(lines.map(({ text }) => text));
  const isShown = shownLines(kinds);
  const isOwn = (line: number) => isShown[line] === true && kinds[line] !== 'blank';
  const firstOwn = lines.findIndex((_, line) => isOwn(line));
  const lastOwn = lines.findLastIndex((_, line) => isOwn(line));
  if (firstOwn < 0) return null;
  const beginsQuote = (line: number) => isQuoteBegin(kinds[line], lines[line]);
  const first = lines.findIndex((_, line) => line < firstOwn && beginsQuote(line));
  const last = lines.findIndex((_, line) => line > lastOwn && beginsQuote(line));
  const startOf = (line: number) => lines[withRuleAbove(lines, line)]?.start ?? 0;
  const ranges = first < 0 ? [] : [startOf(first), lines[firstOwn]?.start ?? 0];
  if (last >= 0 && !hasAnswers(kinds, last) && !announcesAnswers(lines.slice(firstOwn, lastOwn + 1)))
    ranges.push(startOf(last), html.length);
  return ranges.length === 0 ? null : ranges;
}

export type Line = {
  text: string;
  /** The offset of the line's outermost element, or of its text. */
  start: number;
  /** Whether the line is inside a blockquote that a mail program marked as a quoted mail. */
  isCited: boolean;
};

/** Includes the rule above a quote, which Outlook on the web draws. */
function withRuleAbove(lines: readonly Line[], line: number): number {
  let above = line - 1;
  while (lines[above]?.text === '') above--;
  return lines[above]?.text === RULE ? above : line;
}

/** Ignores a blockquote without such a mark, because the author may use it for indentation. */
function isQuoteBegin(kind: LineKind | undefined, line: Line | undefined): boolean {
  return kind === 'attribution' || kind === 'cut' || kind === 'forward' || (kind === 'quote' && line?.isCited === true);
}

/**
 * Whether text stands between or below the quoted lines. Such text is an answer, unless a rule marks it as a
 * signature.
 */
function hasAnswers(kinds: readonly LineKind[], from: number): boolean {
  for (let line = from; line < kinds.length; line++) {
    const kind = kinds[line];
    if (kind === 'cut' || kind === 'forward' || kind === 'rule') return false;
    if (kind === 'text') return true;
  }
  return false;
}

/**
 * Outlook quotes without a blockquote. Only colour, or words like these, show that the author answers inside the
 * quote.
 */
function announcesAnswers(own: readonly Line[]): boolean {
  return own.some(({ text }) => ANSWERS_BELOW.test(text));
}

const ANSWERS_BELOW = new RegExp(
  `(?<!\\p{L})(?:${[
    ...['in-?line', 'below', 'in (?:red|blue|green)', 'unten', 'in (?:rot|blau|grün)', 'ci-dessous', 'plus bas'],
    ...['en (?:rouge|bleu|vert)', '(?:más )?abajo', 'en (?:rojo|azul|verde)', 'abaixo', 'qui sotto', 'di seguito'],
    ...['in (?:rosso|blu|verde)', 'hieronder', 'in het rood', 'nedan', 'nedenfor', 'poniżej', 'níže', 'ниже'],
  ].join('|')})(?!\\p{L})`,
  'iu',
);

const INLINE: ReadonlySet<string> = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'big',
    'cite',
    'code',
    'del',
    'dfn',
    'em',
    'font',
    'i',
    'ins',
    'kbd',
    'mark',
    'q',
  ],
  ...['s', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'td', 'th', 'time', 'tt', 'u', 'var', 'wbr'],
]);
const TOKEN = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|[^<]+/g;
const CITED = / (?:type="cite"|class="[^"]*(?:gmail_quote|yahoo_quoted|protonmail_quote|zmail_extra))/;
const RULE = '________________________________';
const IMAGE = '\uFFFC';

/** Reads HTML as lines. Lines in a blockquote begin with `> `. */
export function linesOf(html: string): Line[] {
  const reader = new LineReader();
  for (const { 0: token, 1: slash, 2: name, 3: attributes = '', index } of html.matchAll(TOKEN)) {
    if (name === undefined) reader.text(token, index);
    else if (slash === '') reader.begin(name, attributes, index);
    else reader.finish(name);
  }
  return reader.end();
}

class LineReader {
  readonly #lines: Line[] = [];
  #text = '';
  #start: number | undefined;
  /** For each open blockquote, whether the blockquote quotes a mail. */
  readonly #blockquotes: boolean[] = [];
  #preDepth = 0;

  text(token: string, index: number): void {
    const isPre = this.#preDepth > 0;
    const rows = isPre ? token.split('\n') : [token.replace(/\s+/g, ' ')];
    let at = index;
    for (const [place, row] of rows.entries()) {
      if (place > 0) this.#break();
      if (row.trim() !== '') this.#start ??= at;
      this.#text += unescapeHtml(row);
      at += row.length + 1;
    }
  }

  begin(name: string, attributes: string, index: number): void {
    const isBlock = !INLINE.has(name) && name !== 'img';
    if (name === 'br' || (isBlock && this.#hasText())) this.#break();
    if (name === 'br') return;
    if (name === 'img') this.#mark(IMAGE, index);
    if (name === 'hr') {
      this.#mark(RULE, index);
      this.#break();
      return;
    }
    this.#start ??= index;
    if (name === 'td' || name === 'th') this.#text += ' ';
    if (name === 'pre') this.#preDepth++;
    if (name === 'blockquote') this.#blockquotes.push(CITED.test(attributes));
  }

  finish(name: string): void {
    if (!this.#hasText()) this.#start = undefined;
    else if (!INLINE.has(name)) this.#break();
    if (name === 'pre') this.#preDepth--;
    if (name === 'blockquote') this.#blockquotes.pop();
  }

  end(): Line[] {
    this.#break();
    return this.#lines;
  }

  #mark(text: string, index: number): void {
    this.#start ??= index;
    this.#text += text;
  }

  #hasText(): boolean {
    return this.#text.trim() !== '';
  }

  #break(): void {
    const text = this.#text.trim();
    const isQuoted = this.#blockquotes.length > 0;
    this.#lines.push({
      text: isQuoted ? `> ${text}` : text,
      start: this.#start ?? 0,
      isCited: this.#blockquotes.includes(true),
    });
    this.#text = '';
    this.#start = undefined;
  }
}
