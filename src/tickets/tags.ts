import { foldTags } from '../lib/fold-tags.ts';
import { caseKey } from '../lib/text.ts';

export type TagsInput = {
  /** Replaces the whole list. */
  tags?: string[];
  addTags?: string[];
  removeTags?: string[];
};

/** A ticket's tags as a change makes them. Throws `request.invalid` where tags are added and there are more than 50 then. */
export function changedTags(before: readonly string[], { tags, addTags, removeTags }: TagsInput): string[] {
  const removed = new Set(removeTags?.map(caseKey));
  const kept = (tags === undefined ? before : keptTags(before, foldTags(tags))).filter(
    (tag) => !removed.has(caseKey(tag)),
  );
  const { added } = tagChanges(kept, foldTags(addTags ?? [], 'body.addTags'));
  return added.length === 0 ? [...kept] : foldTags([...kept, ...added], 'body.addTags');
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
function keptTags(before: readonly string[], after: readonly string[]): string[] {
  const written = new Map(before.map((tag) => [caseKey(tag), tag]));
  const { added, removed } = tagChanges(before, after);
  if (added.length === 0 && removed.length === 0) return [...before];
  return after.map((tag) => written.get(caseKey(tag)) ?? tag);
}

/**
 * Both lists as one: the first one's spelling wins. There may be more than 50 then: a merge loses none.
 * @returns also what the second one brought, folded
 */
export function unitedTags(
  own: readonly string[],
  others: readonly string[],
): { tags: string[]; broughtKeys: string[] } {
  const { added } = tagChanges(own, others);
  return { tags: [...own, ...added], broughtKeys: added.map(caseKey) };
}
