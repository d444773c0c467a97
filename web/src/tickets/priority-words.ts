import { type WordKey, words } from '../words/words.ts';

/** A priority inside a sentence. An unknown priority, as an address may have it, stays as it is. */
export function priorityWords(priority: string): string {
  const key = `priority.${priority}`;
  const found = words(key as WordKey);
  return found === key ? priority : found.toLocaleLowerCase();
}
