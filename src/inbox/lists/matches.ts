import type { WantedWords } from '../../ground/lib/search-query.ts';
import { hasCjk, runsOf, searchWords } from '../../ground/lib/text.ts';

/** The words of texts that a search found, as they are written there, each once. */
export function matchesIn(texts: readonly string[], wanted: WantedWords): string[] {
  const found = texts.flatMap((text) =>
    runsOf(text).flatMap((run) => (hasCjk(run) ? inCjk(run, wanted) : inWord(run, wanted))),
  );
  return [...new Set(found)];
}

function inWord(run: string, wanted: WantedWords): string[] {
  return searchWords(run).some((word) => isWanted(word, wanted)) ? [run] : [];
}

/** A script without spaces is searched by pairs of characters. Consecutive matching pairs are one match. */
function inCjk(run: string, wanted: WantedWords): string[] {
  const characters = [...run];
  const isIn = characters.map(() => false);
  for (let end = Math.min(1, characters.length - 1); end < characters.length; end++) {
    const begin = Math.max(end - 1, 0);
    const pair = characters.slice(begin, end + 1).join('');
    if (searchWords(pair).some((word) => isWanted(word, wanted))) isIn.fill(true, begin, end + 1);
  }
  const marked = characters.map((character, index) => (isIn[index] ? character : ' ')).join('');
  return marked.split(' ').filter(Boolean);
}

function isWanted(word: string, { words, beginning }: WantedWords): boolean {
  return words.has(word) || (beginning !== undefined && word.startsWith(beginning));
}
