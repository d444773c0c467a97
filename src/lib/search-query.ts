import { workspaceLetters } from './search-vector.ts';
import { searchWords } from './text.ts';

/** The texts of tsqueries that a typed search stands for. */
export type SearchQuery = {
  /** What one vector of the workspace must match, and is ranked by. */
  wanted: string;
  /** What no vector of a ticket may match; undefined where nothing was excluded. */
  excluded: string | undefined;
  /** Undefined where the last word is known to be finished, lies behind what is looked for, or is that of an alternative alone. */
  unfinished: Unfinished | undefined;
};

/** Of a search whose last word may be unfinished: that word alone, it as a whole word, and what is wanted if it is one. */
type Unfinished = { word: string; wordAsWhole: string; wantedAsWhole: string };

const typedMax = 1_000;
const termsMax = 32;
const termWordsMax = 32;

/**
 * A search as people type it: words are all wanted, "a phrase" in its order, -word nowhere in the ticket, `or` either; the
 * last word may be unfinished. Undefined when it holds no word.
 */
export function searchQuery(workspaceId: string, typed: string): SearchQuery | undefined {
  const letters = workspaceLetters(workspaceId);
  const { alternatives, excluded } = termsOf(typed.slice(0, typedMax), letters);
  const groups = alternatives.filter((terms) => terms.length > 0).map((terms) => terms.slice(0, termsMax).join(' & '));
  if (groups.length === 0 && excluded.length === 0) return undefined;
  const wanted = groups.slice(0, termsMax).map((group) => `(${group})`);
  const text = wanted.length === 0 ? letters : wanted.join(' | ');
  return {
    wanted: text,
    excluded: excluded.length === 0 ? undefined : excluded.slice(0, termsMax).join(' | '),
    unfinished: groups.length === 1 ? unfinishedIn(text) : undefined,
  };
}

/** Found in the text, as the last word may be cut off. */
function unfinishedIn(wanted: string): Unfinished | undefined {
  const whole = (query: string): string => query.replace(':*', '');
  const word = /[^\s(]+:\*/.exec(wanted)?.[0];
  return word === undefined ? undefined : { word, wordAsWhole: whole(word), wantedAsWhole: whole(wanted) };
}

function termsOf(typed: string, letters: string): { alternatives: string[][]; excluded: string[] } {
  const tokens = [...typed.matchAll(/(-?)"([^"]*)"?|(\S+)/g)];
  const alternatives: string[][] = [[]];
  const excluded: string[] = [];
  const isLastUnfinished = !/\s$/.test(typed);
  tokens.forEach(([, phraseSign, phrase, plain], index) => {
    if (plain !== undefined && /^or$/i.test(plain)) {
      alternatives.push([]);
      return;
    }
    const words = searchWords(phrase ?? plain ?? '').slice(0, termWordsMax);
    if (words.length === 0) return;
    const isExcluded = phrase === undefined ? /^-+[\p{L}\p{N}]/u.test(plain ?? '') : phraseSign === '-';
    const isUnfinished = phrase === undefined && !isExcluded && isLastUnfinished && index === tokens.length - 1;
    const term = words
      .map((word, at) => `${letters}${word}${isUnfinished && at === words.length - 1 ? ':*' : ''}`)
      .join(' <-> ');
    (isExcluded ? excluded : alternatives.at(-1))?.push(`(${term})`);
  });
  return { alternatives, excluded };
}
