/**
 * Recognises the attribution that a mail client puts above a quote: "On 28 Jan 2016, at 19:04, X wrote:", in some forty
 * languages, often wrapped over several lines. The order of date, name and verb differs by language and client. So this
 * checks which of the three are present, not their order.
 */
import { ATTRIBUTION_STARTS, WROTE_SIGNS, WROTE_WORDS } from './quote-words.ts';

export type Attribution = {
  firstLine: number;
  lastLine: number;
  /** A weak attribution counts only when quoted lines follow. */
  isStrong: boolean;
};

const ATTRIBUTION_CHARACTERS_MAX = 400;
const ATTRIBUTION_LINES_MAX = 6;

const wroteWords = `(?<![\\p{L}\\p{M}])(?:${WROTE_WORDS.join('|')})(?![\\p{L}\\p{M}])`;
const wroteSigns = WROTE_SIGNS.join('|');
const starts = ATTRIBUTION_STARTS.join('|');
const WROTE = new RegExp(`${wroteWords}|${wroteSigns}`, 'iu');
const WROTE_AT_END = new RegExp(`(?:${wroteWords}|${wroteSigns})[^\\p{L}\\p{N}]{0,12}$`, 'iu');
const COLON_AT_END = /[:：][\s*_-]{0,12}$/u;
const LEAD = new RegExp(
  `^["'(\\[*]{0,2}(?:(?:${starts})(?![\\p{L}\\p{M}])[\\s,:-]{0,4})?` +
    `(?:[\\p{L}\\p{M}.'’׳-]{1,16}[,،]? {0,2}){0,2}\\p{Nd}`,
  'iu',
);
const STARTS_WITH_WORD = new RegExp(`^(?:${starts})(?![\\p{L}\\p{M}])`, 'iu');
const DATE_OR_TIME = /\p{Nd}{4}|\p{Nd}{1,2}[:.h]\p{Nd}{2}|\p{Nd}{1,2}[./-]\p{Nd}{1,2}/u;
const FULL_DATE = /\p{Nd}{4}|\p{Nd}{1,2}[./-]\s?\p{Nd}{1,2}[./-]\s?\p{Nd}{2}/u;
const ISO_START = /^[[(]?\p{Nd}{4}([-/.])\p{Nd}{2}\1\p{Nd}{2}(?!\p{Nd})/u;
const BRACKETED_ADDRESS = /[<([][^<>()[\]]{0,120}\S@\S[^<>()[\]]{0,120}[>)\]]/u;
const ADDRESS_AT_END = /\S@[^\s<>]{1,120}[>)\]]{1,3}\s{0,2}[:：]?[\s*_-]{0,12}$/u;
/** Outlook Express writes in newsgroups: `"X" <x@…> wrote in message news:abc@…...`. */
const NEWS_AT_END = /(?:^|[\s<"])news:[^\s<>"]{1,160}[>"]?[.:：]{0,6}$/iu;
/** Gmail puts the date last in Catalan and Spanish: "Mensaje de X <x@…> del 31 mar 2016 a las 10:05:". */
const ADDRESS_THEN_TIME = /\S@\S{1,120}[>)\]].{0,60}\p{Nd}{1,2}[:.]\p{Nd}{2}[^\p{Nd}]{0,12}[:：]$/u;
/**
 * Matches personal pronouns, which show prose and not a mail client. Leaves out "Ben", "You" and "Vi", which are names
 * too.
 */
const PERSONAL = new RegExp(
  "(?<!\\p{L})(?:I|we|you|ich|wir|Sie|du|ihr|je|j'ai|nous|vous|yo|nosotros|usted|nós|" +
    "você|noi|ik|wij|jij|jag|jeg|minä|я|мы|вы|me|mir|mich|uns|nos|moi|m'a|m’a|mi|" +
    'ci|mij|ons|mig|oss|meg|mnie|мне|нам)(?!\\p{L})',
  'u',
);

/** Matches "As Ola wrote on 4 March:", which introduces the author's own words. */
const COMPARING = /^(?:as|like|wie|comme|como|come|zoals|som|kuten|jak|ahogy|cum|как|як)\s/iu;

/** Tells how likely the joined lines are the "On … X wrote:" of a mail client. */
function attributionStrength(joined: string): 'strong' | 'weak' | null {
  const text = joined.replace(/^[-_=*~\s]{2,80}/u, '');
  if (COMPARING.test(text)) return null;
  const hasColon = COLON_AT_END.test(text);
  const hasWroteAtEnd = WROTE_AT_END.test(text.slice(-60));
  const hasAddressAtEnd = ADDRESS_AT_END.test(text);
  if (NEWS_AT_END.test(text.slice(-200))) return WROTE.test(text) ? 'weak' : null;
  if (!hasColon && !hasWroteAtEnd && !hasAddressAtEnd) return null;
  const hasAddress = BRACKETED_ADDRESS.test(text);
  const hasLead = LEAD.test(text);
  const isDated = DATE_OR_TIME.test(text);
  if (!hasColon && !hasWroteAtEnd) return hasLead && isDated && text.length <= 200 ? 'weak' : null;
  const hasWrote = hasWroteAtEnd || WROTE.test(text);
  if (isDated) {
    if (hasAddress && hasWrote && (hasColon || hasLead)) return 'strong';
    if (hasLead && (hasAddressAtEnd || (hasWrote && /\S@\S/.test(text)))) return 'strong';
    if (hasAddress && ADDRESS_THEN_TIME.test(text)) return 'strong';
    const isImpersonal = FULL_DATE.test(text) && !PERSONAL.test(text);
    if (isImpersonal && hasWrote && hasLead) return 'strong';
    if (isImpersonal && hasWrote && hasColon && /^\p{Lu}\S* /u.test(text) && text.length <= 120) return 'strong';
  }
  if (hasAddress && hasWroteAtEnd && hasColon && text.length <= 160 && isNameAndVerb(text)) return 'strong';
  if (!hasColon || text.length > 200) return null;
  if (ISO_START.test(text) && isNameAndVerb(text.replace(ISO_START, ''))) return 'weak';
  return /\S@\S/.test(text) || (hasWrote && (isDated || isNameAndVerb(text))) ? 'weak' : null;
}

const PRONOUN = new RegExp(
  '^(?:I|he|she|it|they|we|you|someone|somebody|er|sie|es|ich|wir|jemand|il|elle|ils|' +
    'elles|je|on|él|ella|ellos|yo|lui|lei|ele|ela|hij|zij|ze|ik|han|hun|hon|de|hän|ona|' +
    'ono|on|он|она|они|я|мы|він|вона)$',
  'iu',
);

/** Tells "Ola van den Berg says:" from the sentence "Your page says:" by the capitals of a name. */
function isNameAndVerb(text: string): boolean {
  const words =
    text
      .replace(BRACKETED_ADDRESS, ' ')
      .replace(WROTE, ' ')
      .match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length <= 1) return !PRONOUN.test(words[0] ?? '');
  return !words.some((word) => word.length > 3 && /^\p{Ll}/u.test(word));
}

/**
 * Returns the shortest run of lines up to `end` that reads as an attribution. Adds lines above if a client wrapped the
 * date.
 * Expects lines from `markLine`. `isOpen` tells which lines may belong: not quotes, dividers or code.
 */
export function attributionEndingAt(
  marks: readonly string[],
  end: number,
  isOpen: (line: number) => boolean,
): Attribution | null {
  const last = marks[end] ?? '';
  if (last === '' || last.length > ATTRIBUTION_CHARACTERS_MAX) return null;
  if (isRunTogether(last)) return { firstLine: end, lastLine: end, isStrong: true };
  if (!mayEndAttribution(last)) return null;
  let joined = '';
  let fallback: Attribution | null = null;
  let lineCount = 0;
  for (let first = end; first >= 0 && first > end - 12; first--) {
    const mark = marks[first] ?? '';
    if (mark === '') {
      if (!/[@<]/.test(joined)) break;
      continue;
    }
    if (first < end && (!isOpen(first) || endsSentence(mark))) break;
    joined = joined === '' ? mark : `${mark} ${joined}`;
    lineCount++;
    if (joined.length > ATTRIBUTION_CHARACTERS_MAX || lineCount > ATTRIBUTION_LINES_MAX) break;
    const strength = attributionStrength(joined);
    if (strength === 'strong' && !startsInsideBracket(joined)) {
      return { firstLine: widen(marks, first, isOpen), lastLine: end, isStrong: true };
    }
    if (strength === 'strong' || (strength === 'weak' && lineCount <= 2)) {
      fallback ??= { firstLine: first, lastLine: end, isStrong: strength === 'strong' };
    }
  }
  return fallback;
}

function mayEndAttribution(last: string): boolean {
  const tail = last.slice(-140);
  if (COLON_AT_END.test(tail) || ADDRESS_AT_END.test(tail) || WROTE_AT_END.test(last.slice(-60))) return true;
  return NEWS_AT_END.test(last.slice(-200));
}

/** Whether a client lost its line breaks, so that the quoted text follows the colon on the same line. */
function isRunTogether(mark: string): boolean {
  const colon = mark.search(/[>)\]"][^<>]{0,40}[:：]\s*[>\p{L}]/u);
  if (colon < 0 || !LEAD.test(mark)) return false;
  const head = mark.slice(0, colon) + (/^[^:：]*[:：]/u.exec(mark.slice(colon))?.[0] ?? '');
  return BRACKETED_ADDRESS.test(head) && WROTE.test(head) && attributionStrength(head) === 'strong';
}

function endsSentence(mark: string): boolean {
  return /(?:[!?。！？:：]|\p{L}{5}[.…])$/u.test(mark);
}

/** Recognises `info@example.org> wrote:`, the rest of a line that was wrapped inside the angle brackets. */
function startsInsideBracket(joined: string): boolean {
  return joined.startsWith('<') || joined.split('>').length > joined.split('<').length;
}

const LINES_ABOVE_MAX = 3;
const TIME_FIRST = /^\P{Nd}{0,12}\p{Nd}{1,2}[:.h]\p{Nd}{2}/u;

/** Adds the lines above if the date was wrapped too: `On Thu, 28 Jan 2016` / `at 19:04, X` / `<x@…> wrote:`. */
function widen(marks: readonly string[], first: number, isOpen: (line: number) => boolean): number {
  let joined = marks[first] ?? '';
  let widest = first;
  if (STARTS_WITH_WORD.test(joined) && !TIME_FIRST.test(joined)) return first;
  for (let line = first - 1; line >= Math.max(first - LINES_ABOVE_MAX, 0); line--) {
    const above = marks[line] ?? '';
    if (above === '' || above.length > 120 || !isOpen(line) || endsSentence(above)) return widest;
    joined = `${above} ${joined}`;
    const isStart = STARTS_WITH_WORD.test(above);
    const isLead = LEAD.test(joined) && (isStart || FULL_DATE.test(above));
    // Several lines may also be a sentence of the author that ends with a name.
    const isProse = line < first - 1 && (PERSONAL.test(joined) || !FULL_DATE.test(joined));
    if (isLead && DATE_OR_TIME.test(joined) && !isProse) widest = line;
    if (isStart) return widest;
  }
  return widest;
}
