import { firstCodePoints, searchWords } from './text.ts';

/**
 * PostgreSQL's tsvector and tsquery, written out here rather than by its parser: so what is a word is decided in one place,
 * whatever the database's locale, and no input is a syntax error. Words are letters and digits only, so none needs quoting.
 */

/** Only so much of a text is indexed: a tsvector holds 1 MiB. */
const indexedCodePointsMax = 50_000;
/** PostgreSQL keeps positions up to this one, and 256 of one word. */
const positionMax = 16_383;
const positionsOfWordMax = 255;

export type WeightedText = { weight: 'A' | 'B' | 'C' | 'D'; text: string };

/** A word that every vector of the workspace has, so that one index serves all workspaces without reading across them. */
function workspaceLexeme(workspaceId: string): string {
  return `w${workspaceId.replaceAll('-', '')}`;
}

/** The text form of a tsvector, to be cast by `::tsvector`. */
export function searchVector(workspaceId: string, parts: readonly WeightedText[]): string {
  const positions = new Map<string, string[]>();
  let position = 0;
  for (const { weight, text } of parts) {
    for (const word of searchWords(firstCodePoints(text, indexedCodePointsMax))) {
      position = Math.min(position + 1, positionMax);
      const known = positions.get(word);
      if (known === undefined) positions.set(word, [`${position}${weight === 'D' ? '' : weight}`]);
      else if (known.length < positionsOfWordMax && position < positionMax)
        known.push(`${position}${weight === 'D' ? '' : weight}`);
    }
    // A phrase does not reach from one part into the next.
    position += 1;
  }
  return [workspaceLexeme(workspaceId), ...[...positions].map(([word, at]) => `${word}:${at.join(',')}`)].join(' ');
}

/**
 * A search as people type it, as a tsquery's text: words are all wanted, "a phrase" in its order, -word not, `or` either;
 * the last word may be unfinished. Undefined when it holds no word.
 */
export function searchQuery(workspaceId: string, typed: string): SearchQuery | undefined {
  const tokens = [...typed.slice(0, typedMax).matchAll(/(-?)"([^"]*)"?|(\S+)/g)];
  const alternatives: string[][] = [[]];
  tokens.forEach(([whole, phraseSign, phrase, plain], index) => {
    if (plain !== undefined && /^or$/i.test(plain)) {
      alternatives.push([]);
      return;
    }
    const isExcluded = phrase === undefined ? /^-+[\p{L}\p{N}]/u.test(plain ?? '') : phraseSign === '-';
    const words = searchWords(phrase ?? plain ?? '').slice(0, termWordsMax);
    if (words.length === 0) return;
    const isUnfinished = phrase === undefined && index === tokens.length - 1 && !isExcluded && !/\s$/.test(whole);
    const term = words.map((word, at) => (isUnfinished && at === words.length - 1 ? `${word}:*` : word)).join(' <-> ');
    alternatives.at(-1)?.push(`${isExcluded ? '!' : ''}(${term})`);
  });
  const groups = alternatives
    .filter((terms) => terms.length > 0)
    .map((terms) => `(${terms.slice(0, termsMax).join(' & ')})`);
  if (groups.length === 0) return undefined;
  const rank = groups.slice(0, termsMax).join(' | ');
  return { match: `${workspaceLexeme(workspaceId)} & (${rank})`, rank };
}

/** The texts of two tsqueries: what a vector of the workspace must match, and what it is ranked by. */
export type SearchQuery = { match: string; rank: string };

const typedMax = 1_000;
const termsMax = 32;
const termWordsMax = 32;
