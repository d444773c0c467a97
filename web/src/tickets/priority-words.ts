import { wordsOr } from '../words/words.ts';

/** A priority inside a sentence. */
export function priorityWords(priority: string): string {
  return wordsOr(priority, `priority.${priority}`).toLocaleLowerCase();
}
