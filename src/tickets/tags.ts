import { invalidRequest } from '../lib/errors.ts';
import { caseKey } from '../lib/text.ts';

const tagsMax = 50;

/** Each tag once, as first written. Throws `request.invalid` when more than 50 differ. */
export function foldTags(tags: readonly string[]): string[] {
  const folded = new Map<string, string>();
  for (const tag of tags) {
    const key = caseKey(tag);
    if (!folded.has(key)) folded.set(key, tag.trim());
  }
  if (folded.size > tagsMax)
    throw invalidRequest({ path: 'body.tags', message: `must not have more than ${tagsMax} different tags` });
  return [...folded.values()];
}

/** What a replacement of the whole list adds and takes away; a tag that only changed its case is neither. */
export function tagChanges(
  before: readonly string[],
  after: readonly string[],
): { added: string[]; removed: string[] } {
  const beforeKeys = new Set(before.map(caseKey));
  const afterKeys = new Set(after.map(caseKey));
  return {
    added: after.filter((tag) => !beforeKeys.has(caseKey(tag))),
    removed: before.filter((tag) => !afterKeys.has(caseKey(tag))),
  };
}

/** The list that replaces another: a tag that was there stays as it was first written, and the same tags stay in their order. */
export function keptTags(before: readonly string[], after: readonly string[]): string[] {
  const written = new Map(before.map((tag) => [caseKey(tag), tag]));
  const { added, removed } = tagChanges(before, after);
  if (added.length === 0 && removed.length === 0) return [...before];
  return after.map((tag) => written.get(caseKey(tag)) ?? tag);
}
