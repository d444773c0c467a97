import { workspaceLetters } from '../lib/search-vector.ts';
import { searchWords } from '../lib/text.ts';

const typedMax = 1_000;
const wordsMax = 32;

/** What a contact is found by, as the text of a tsvector: the words of name and address. No order, so no positions. */
export function contactSearchVector(
  workspaceId: string,
  { email, name }: { email: string; name: string | null },
): string {
  const letters = workspaceLetters(workspaceId);
  return [letters, ...new Set(searchWords(`${name ?? ''} ${email}`).map((word) => `${letters}${word}`))].join(' ');
}

/** The text of the tsquery for what somebody typed: every word, finished or not. Undefined when there is none in it. */
export function contactSearchQuery(workspaceId: string, typed: string): string | undefined {
  const words = [...new Set(searchWords(typed.slice(0, typedMax)))].slice(0, wordsMax);
  const letters = workspaceLetters(workspaceId);
  return words.length === 0 ? undefined : words.map((word) => `${letters}${word}:*`).join(' & ');
}
