import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { workspaceLetters } from '../../ground/lib/search-vector.ts';
import { searchWords } from '../../ground/lib/text.ts';

const typedMax = 1_000;
const wordsMax = 32;

/** The text of a contact's tsvector: words of name and address, without positions, as search ignores word order. */
export function contactSearchVector(
  workspaceId: WorkspaceId,
  { email, name }: { email: string; name: string | null },
): string {
  const letters = workspaceLetters(workspaceId);
  return [letters, ...new Set(searchWords(`${name ?? ''} ${email}`).map((word) => `${letters}${word}`))].join(' ');
}

/** The text of a tsquery that requires every typed word or beginning of a word. Undefined for a text without words. */
export function contactSearchQuery(workspaceId: WorkspaceId, typed: string): string | undefined {
  const words = [...new Set(searchWords(typed.slice(0, typedMax)))].slice(0, wordsMax);
  const letters = workspaceLetters(workspaceId);
  return words.length === 0 ? undefined : words.map((word) => `${letters}${word}:*`).join(' & ');
}
