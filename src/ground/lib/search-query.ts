import type { WorkspaceId } from './ids.ts';
import { workspaceLetters } from './search-vector.ts';
import { searchWords } from './text.ts';

/** A typed search as texts of tsqueries. */
export type SearchQuery = {
  /** A vector of the workspace must match this query, which also ranks it. */
  wanted: string;
  /** No vector of a matching ticket may match this query. Undefined when the search excludes nothing. */
  excluded: string | undefined;
  /**
   * Undefined when the last word is finished or comes after the first 32 terms, or when the search has alternatives.
   */
  unfinished: Unfinished | undefined;
};

/** The queries of a search whose last word may be unfinished. */
type Unfinished = {
  /** The last word alone, as a prefix. */
  word: string;
  wordAsWhole: string;
  /** The whole query if the last word is a whole word. */
  wantedAsWhole: string;
  /** The query without its last term. Undefined when no other term exists. */
  wantedBeside: string | undefined;
};

const typedMax = 1_000;
const termsMax = 32;
const termWordsMax = 32;

/**
 * Reads a search as people type it. A ticket must have every word, and "a phrase" in its order. `-word` must appear
 * nowhere in the ticket, and `or` separates alternatives. The last word may be unfinished.
 * @returns undefined when the search holds no word
 */
export function searchQuery(workspaceId: WorkspaceId, typed: string): SearchQuery | undefined {
  const letters = workspaceLetters(workspaceId);
  const { alternatives, excluded } = termsOf(typed.slice(0, typedMax), letters);
  const groups = alternatives
    .filter((terms) => terms.length > 0)
    .slice(0, termsMax)
    .map((terms) => terms.slice(0, termsMax));
  if (groups.length === 0 && excluded.length === 0) return undefined;
  const [only, ...others] = groups;
  return {
    wanted: only === undefined ? letters : groups.map(allOf).join(' | '),
    excluded: excluded.length === 0 ? undefined : excluded.slice(0, termsMax).join(' | '),
    unfinished: only === undefined || others.length > 0 ? undefined : unfinishedIn(only),
  };
}

function allOf(terms: readonly string[]): string {
  return `(${terms.join(' & ')})`;
}

/** Undefined when the last word is finished or was cut off. */
function unfinishedIn(terms: readonly string[]): Unfinished | undefined {
  const beside = terms.slice(0, -1);
  const last = terms.at(-1) ?? '';
  const word = /(?<![^\s(])[^\s(]+:\*/.exec(last)?.[0];
  if (word === undefined) return undefined;
  const whole = (query: string): string => query.replace(':*', '');
  return {
    word,
    wordAsWhole: whole(word),
    wantedAsWhole: allOf([...beside, whole(last)]),
    wantedBeside: beside.length === 0 ? undefined : allOf(beside),
  };
}

function termsOf(typed: string, letters: string): { alternatives: string[][]; excluded: string[] } {
  const alternatives: string[][] = [[]];
  const excluded: string[] = [];
  for (const token of tokensOf(typed)) {
    if (token === 'or') {
      alternatives.push([]);
      continue;
    }
    const { words, isExcluded, isUnfinished } = token;
    const term = words
      .map((word, at) => `${letters}${word}${isUnfinished && at === words.length - 1 ? ':*' : ''}`)
      .join(' <-> ');
    (isExcluded ? excluded : alternatives.at(-1))?.push(`(${term})`);
  }
  return { alternatives, excluded };
}

/** A word or a phrase that was typed. Only the last word may be unfinished. */
type Token = { words: string[]; isExcluded: boolean; isUnfinished: boolean };

function tokensOf(typed: string): (Token | 'or')[] {
  const tokens = [...typed.matchAll(/(-?)"([^"]*)"?|(\S+)/g)];
  const isLastUnfinished = !/\s$/.test(typed);
  return tokens.flatMap(([, phraseSign, phrase, plain], index): (Token | 'or')[] => {
    if (plain !== undefined && /^or$/i.test(plain)) return ['or'];
    const words = searchWords(phrase ?? plain ?? '').slice(0, termWordsMax);
    if (words.length === 0) return [];
    const isExcluded = phrase === undefined ? /^-+[\p{L}\p{N}]/u.test(plain ?? '') : phraseSign === '-';
    const isUnfinished = phrase === undefined && !isExcluded && isLastUnfinished && index === tokens.length - 1;
    return [{ words, isExcluded, isUnfinished }];
  });
}

/** The folded words that a search wants, and the beginning of its last word. */
export type WantedWords = { words: ReadonlySet<string>; beginning: string | undefined };

export function wantedWords(typed: string): WantedWords {
  const wanted = tokensOf(typed.slice(0, typedMax)).filter((token) => token !== 'or' && !token.isExcluded);
  const tokens = wanted as Token[]; // the filter leaves no `or`
  const beginning = tokens.at(-1)?.isUnfinished === true ? tokens.at(-1)?.words.at(-1) : undefined;
  return { words: new Set(tokens.flatMap(({ words }) => words)), beginning };
}
