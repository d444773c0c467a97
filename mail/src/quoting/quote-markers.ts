/**
 * Recognises the lines where quoted text begins.
 * All functions expect lines from `markLine`. They limit the length and the backtracking, because a hostile mail of a
 * megabyte must cost only milliseconds.
 */
import { ABOVE_LINES, DISCLAIMER_WORDS, DIVIDER_WORDS, FORWARD_LINES, HEADER_WORDS } from './quote-words.ts';
import {
  APOLOGIES,
  DEVICE_SIGNS,
  DEVICE_WORDS,
  OWN_DEVICE_STARTS,
  SENT_FROM_ENDS,
  SENT_FROM_STARTS,
  SENT_ON_THE_WAY,
} from './signature-words.ts';

export type HeaderBlock = { firstLine: number; lastLine: number };

/** A longer line always counts as prose. */
const MARKER_CHARACTERS_MAX = 1_000;

/**
 * Prepares a line for the functions below: removes invisible marks, makes spaces and hyphens plain, unescapes `<` and
 * `>`, and trims. Turns the Turkish capital İ into a plain I, because a pattern that ignores case does not match it
 * with i.
 */
export function markLine(line: string): string {
  if (line.length > MARKER_CHARACTERS_MAX) return line;
  if (/^[\x20-\x25\x27-\x7e]*$/.test(line)) return line.trim();
  return line
    .normalize('NFC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000\t]/g, ' ')
    .replace(/[\u2010-\u2012\u2212\uff0d]/g, '-')
    .replaceAll('İ', 'I')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .trim();
}

/** Recognises `> text`, also with the author's initials in front, as in Usenet. */
export function isQuoteLine(mark: string): boolean {
  return /^(?:\p{Lu}{1,3})?[>＞]/u.test(mark);
}

/** Recognises `| text`, the quote mark of some editors. A table row also ends with a bar, so it does not count. */
export function isBarLine(mark: string): boolean {
  return mark === '|' || (/^\|\s?[^|]/.test(mark) && !mark.endsWith('|'));
}

/** Recognises a rule: `--`, `____`, `=====`, or the single dash or mark that some clients put before a signature. */
export function isDelimiterLine(mark: string): boolean {
  if (mark.length > 200 || !/^[-_=*#~+—–―─━═•·ᐧ ]+$/u.test(mark)) return false;
  const bare = mark.replaceAll(' ', '');
  if (bare.length === 1) return /[—–―ᐧ]/u.test(bare);
  return bare.length > 2 || /^[-_—–―]{2}$/u.test(bare);
}

/** Whether a line is part of a company's disclaimer. */
export function isDisclaimerLine(mark: string): boolean {
  return DISCLAIMER.test(mark.slice(0, 300));
}

const DISCLAIMER = new RegExp(DISCLAIMER_WORDS.join('|'), 'iu');
const dividerWords = DIVIDER_WORDS.join('|');
const DASHED_DIVIDER = new RegExp(
  `^[-_=*~—–─>\\s]{2,200}(?:${dividerWords})\\s{0,3}[:：]?[-_=*~—–─<\\s]{0,200}$`,
  'iu',
);
const BARE_DIVIDER = new RegExp(`^(?:${dividerWords})\\s{0,3}[:：]?$`, 'iu');
const FORWARD_LINE = new RegExp(`^(?:${FORWARD_LINES.join('|')})\\s{0,3}[:：]?$`, 'iu');
const DASHED_ANY = /^[-_=*~—–─]{3,200}\s{0,3}[^-_=*~—–─\s][^-_=*~—–─]{2,60}[-_=*~—–─]{3,200}$/u;
const ABOVE_LINE = new RegExp(`(?:${ABOVE_LINES.join('|')})`, 'iu');

/** Recognises `-----Original Message-----` and `Begin forwarded message:` in any listed language. */
export function isDividerLine(mark: string): boolean {
  if (mark.length < 5 || mark.length > 250) return false;
  return DASHED_DIVIDER.test(mark) || FORWARD_LINE.test(mark);
}

/** Recognises the words of a divider without its dashes. They count only right above a block of headers. */
export function isBareDivider(mark: string): boolean {
  return mark.length >= 5 && mark.length <= 120 && BARE_DIVIDER.test(mark);
}

/** Recognises GroupWise's `>>> Ola Nord <ola@…> 3/4/2024 9:15 AM >>>`, which looks like a quote. */
export function isArrowLine(mark: string): boolean {
  return mark.length <= 250 && /^>>> [^>].{0,200}\p{Nd}[:.]\p{Nd}{2}.{0,20}>>>$/u.test(mark);
}

/** Recognises `## Please type your reply above this line ##` of a ticket system. */
export function isAboveLine(mark: string): boolean {
  return mark.length <= 120 && /^[-_=*#~—–─[(]/u.test(mark) && ABOVE_LINE.test(mark);
}

/** Recognises words between dashes in an unlisted language. They are a divider only if headers follow. */
export function isDashedLine(mark: string): boolean {
  return mark.length <= 250 && DASHED_ANY.test(mark);
}

const sentStart = new RegExp(`^[-—–("*_<[ ]{0,4}(?:${SENT_FROM_STARTS.join('|')})`, 'iu');
const sentEnd = new RegExp(`(?:${SENT_FROM_ENDS.join('|')})[.!)"*_> ]{0,4}$`, 'iu');
const ownDevice = new RegExp(`^[("*_<[ ]{0,4}(?:${OWN_DEVICE_STARTS.join('|')})(?: [\\p{L}\\p{N}-]{1,20}){1,4}$`, 'iu');
const apologyLine = new RegExp(`^[("*_ ]{0,3}(?:\\p{L}{1,12},? ){0,3}(?:${APOLOGIES.join('|')})`, 'iu');
const onTheWay = new RegExp(`^[-—–("*_<[ ]{0,4}(?:${SENT_ON_THE_WAY.join('|')})[.!)"*_> \\]]{0,4}$`, 'iu');
const device = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])` +
    `(?:${DEVICE_WORDS.join('|')})|${DEVICE_SIGNS.join('|')}`,
  'iu',
);
const apology = new RegExp(
  `(?<=[.!。]\\s{0,3})(?:[^.!。]{0,40}(?<!\\p{L}))?(?:${APOLOGIES.join('|')})[^.!?。]{0,80}[.!。]{0,3}$`,
  'iu',
);

/** Recognises "Sent from my iPhone", which is a signature even if a line of text follows. */
export function isOwnDeviceLine(mark: string): boolean {
  return mark.length <= 120 && ownDevice.test(mark);
}

/** Recognises "Please excuse typos" below such a line. */
export function isApologyLine(mark: string): boolean {
  return mark.length <= 100 && apologyLine.test(mark);
}

/** Recognises "Sent from my iPhone" and similar lines, which are short and name a device or a mail program. */
export function isSentFromLine(mark: string): boolean {
  if (mark.length < 4 || mark.length > 300) return false;
  const bare = mark
    .replace(/[<([]\s{0,3}(?:https?:|mailto:|www\.)[^<>)\]]{0,250}[>)\]]/gu, '')
    .replace(/https?:\S{1,250}/gu, '')
    .replace(apology, '')
    .trim();
  if (bare.length > 100 || /[.!?]\s+\p{L}[^.!?]*[.!?]/u.test(bare)) return false;
  if (/[:;]\s+\p{Ll}|[?？¿]/u.test(bare)) return false;
  if (ownDevice.test(bare) || onTheWay.test(bare)) return true;
  return (sentStart.test(bare) || sentEnd.test(bare)) && device.test(bare);
}

/** Recognises a web address alone on its line. Below "Sent with Newton", the address belongs to the signature. */
export function isAddressLine(mark: string): boolean {
  return mark.length <= 300 && /^[<([]?\s?(?:https?:\/\/|www\.)\S+?\s?[>)\]]?$/iu.test(mark);
}

const FOREIGN_LABEL = /^[*_]{0,2}\p{L}[\p{L}\p{M}]{0,20}(?: [\p{L}\p{M}]{1,12})?[*_ ]{0,3}[:：]/u;
const ADDRESS_AT_END = /<[^<>\s]{1,120}@[^<>\s]{1,120}>$/;
const DATE_WITH_TIME = /^(?=.{0,80}\p{Nd}{4}).{0,80}\p{Nd}{1,2}[:.h]\p{Nd}{2}(?!\p{Nd})/u;

type HeaderKind = keyof typeof HEADER_WORDS;

const HEADER_KINDS = new Map<string, Set<HeaderKind>>();
for (const kind of ['from', 'date', 'to', 'copy', 'subject'] as const) {
  for (const word of HEADER_WORDS[kind].split('|')) {
    HEADER_KINDS.set(word, new Set([...(HEADER_KINDS.get(word) ?? []), kind]));
  }
}

/**
 * Returns the header kinds that fit a line: `da` is From in Italian, `data` a date in three languages, `Von/From`
 * both.
 */
export function headerKindsOf(mark: string): ReadonlySet<HeaderKind> | null {
  const label = /^[\s*_|•-]{0,6}([^:：]{1,28}?)[\s*_]{0,4}[:：]/u.exec(mark.slice(0, 60))?.[1];
  const words = label?.trim().toLowerCase();
  return words === undefined ? null : (HEADER_KINDS.get(words) ?? HEADER_KINDS.get(words.split('/')[0] ?? '') ?? null);
}

/**
 * Returns the pasted block of mail headers that begins at a line. A block needs three kinds of header, with a sender,
 * and a subject or an address. So a traveller's "From: Berlin / To: Paris / Date: 3 May" does not count.
 * @param headers the result of `headerKindsOf` for each line, computed once, because hostile mail may consist of
 * headers
 */
export function headerBlockAt(
  marks: readonly string[],
  headers: readonly (ReadonlySet<HeaderKind> | null)[],
  start: number,
): HeaderBlock | null {
  if (!headers[start]) return foreignBlockAt(marks, start);
  if (isHeaderLine(marks[start] ?? '')) return { firstLine: start, lastLine: start };
  const kinds = new Set<HeaderKind>();
  let lastLine = start;
  let other = 0;
  let hasAddress = false;
  for (let line = start; line < marks.length && line < start + 24; line++) {
    const mark = marks[line] ?? '';
    if (mark === '') {
      if (!headers[line + 1]) break;
      continue;
    }
    const found = headers[line];
    if (!found && (++other > 4 || kinds.size >= 4)) break;
    if (found) {
      other = 0;
      lastLine = line;
      for (const kind of found) if (found.size === 1 || !kinds.has(kind)) kinds.add(kind);
    }
    hasAddress ||= /\S@\S/.test(mark);
  }
  const isBlock = kinds.has('from') && (kinds.size >= 3 ? kinds.has('subject') || hasAddress : isPair(marks, start));
  return isBlock ? { firstLine: start, lastLine } : null;
}

/**
 * Recognises a block in an unlisted language: `word: Name <address>` below an empty line, a date with a time on the
 * next line, and two more labelled lines.
 */
function foreignBlockAt(marks: readonly string[], start: number): HeaderBlock | null {
  if ((marks[start - 1] ?? '') !== '' || !ADDRESS_AT_END.test(marks[start] ?? '')) return null;
  let end = start;
  while (end < start + 8 && FOREIGN_LABEL.test((marks[end] ?? '').slice(0, 60))) end++;
  const isDated = DATE_WITH_TIME.test((marks[start + 1] ?? '').slice(0, 200));
  return isDated && end - start >= 4 && (marks[end] ?? '') === '' ? { firstLine: start, lastLine: end - 1 } : null;
}

/** Recognises `From: Name <address>` and a date with a time, alone between empty lines. */
function isPair(marks: readonly string[], start: number): boolean {
  const [above, first, second, below] = [-1, 0, 1, 2].map((offset) => marks[start + offset] ?? '');
  if (above !== '' || below !== '' || first === undefined || second === undefined) return false;
  return ADDRESS_AT_END.test(first) && DATE_WITH_TIME.test(second.slice(0, 200));
}

/**
 * Recognises a whole block on one line, from a client that lost its line breaks: `From: X Sent: Y To: Z Subject: W`.
 */
function isHeaderLine(mark: string): boolean {
  const kinds = new Set<HeaderKind>();
  const labels = [...mark.matchAll(/(\p{L}{1,20}(?: \p{L}{1,12})?)[*_ ]{0,3}[:：]/gu)].slice(0, 20);
  for (const label of labels) {
    const words = label[1]?.toLowerCase() ?? '';
    for (const word of [words, words.split(' ').at(-1) ?? '']) {
      for (const kind of HEADER_KINDS.get(word) ?? []) kinds.add(kind);
    }
  }
  return kinds.has('from') && kinds.has('date') && kinds.has('subject') && labels.length >= 3;
}
