import { invalidRequest } from './errors.ts';
import { caseKey } from './text.ts';

const tagsMax = 50;

/** Each tag once, as first written. Throws `request.invalid` for more than 50 different tags. */
export function foldTags(tags: readonly string[], path = 'body.tags'): string[] {
  const folded = new Map<string, string>();
  for (const tag of tags) {
    const key = caseKey(tag);
    if (!folded.has(key)) folded.set(key, tag.trim());
  }
  if (folded.size > tagsMax) throw invalidRequest({ path, key: 'too_many_tags', params: { limit: tagsMax } });
  return [...folded.values()];
}
