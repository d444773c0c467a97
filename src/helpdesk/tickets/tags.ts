import { foldTags } from '../../ground/lib/fold-tags.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { TicketChange } from './schema.ts';

type Tags = Pick<TicketChange, 'tags' | 'addTags' | 'removeTags'>;

/**
 * Applies a change to a ticket's tags: `tags` replaces the whole list. Throws `request.invalid` if added tags exceed
 * the limit of 50.
 */
export function changedTags(before: readonly string[], { tags, addTags, removeTags }: Tags): string[] {
  const removed = new Set(removeTags?.map(caseKey));
  const kept = (tags === undefined ? before : keptTags(before, foldTags(tags))).filter(
    (tag) => !removed.has(caseKey(tag)),
  );
  const { added } = tagChanges(kept, foldTags(addTags ?? [], 'body.addTags'));
  return added.length === 0 ? [...kept] : foldTags([...kept, ...added], 'body.addTags');
}

type Changes = { added: string[]; removed: string[] };

/** The tags that a saved change added and removed. A tag with a new spelling is both. */
export function spelledChanges(before: readonly string[], after: readonly string[]): Changes {
  return {
    added: after.filter((tag) => !before.includes(tag)),
    removed: before.filter((tag) => !after.includes(tag)),
  };
}

/** The tags that a replacement of the whole list adds and removes. A tag that only changes its case is neither. */
export function tagChanges(before: readonly string[], after: readonly string[]): Changes {
  const beforeKeys = new Set(before.map(caseKey));
  const afterKeys = new Set(after.map(caseKey));
  return {
    added: after.filter((tag) => !beforeKeys.has(caseKey(tag))),
    removed: before.filter((tag) => !afterKeys.has(caseKey(tag))),
  };
}

/** The list that replaces another. Existing tags keep their spelling; an equal set of tags keeps its order. */
function keptTags(before: readonly string[], after: readonly string[]): string[] {
  const written = new Map(before.map((tag) => [caseKey(tag), tag]));
  const { added, removed } = tagChanges(before, after);
  if (added.length === 0 && removed.length === 0) return [...before];
  return after.map((tag) => written.get(caseKey(tag)) ?? tag);
}

/**
 * Unites two lists; the spelling of the first wins. The result may exceed 50 tags, so that a merge loses none.
 * @returns also the folded tags that only the second list has
 */
export function unitedTags(
  own: readonly string[],
  others: readonly string[],
): { tags: string[]; broughtKeys: string[] } {
  const { added } = tagChanges(own, others);
  return { tags: [...own, ...added], broughtKeys: added.map(caseKey) };
}
