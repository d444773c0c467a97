import { caseKey } from '../../ground/lib/text.ts';
import type { ReplyActions } from '../../helpdesk/replies/schema.ts';

export function hasTag(tags: readonly string[] | undefined, tag: string): boolean {
  const key = caseKey(tag);
  return tags?.some((one) => caseKey(one) === key) === true;
}

/** Null takes the tag away. */
export type Replacement = { tag: string; to: string | null };

/** The new tag takes the place of the old tag, unless the list has the new tag already. */
export function replacedTags(tags: readonly string[], { tag, to }: Replacement): string[] {
  const key = caseKey(tag);
  const others = tags.filter((each) => caseKey(each) !== key);
  if (to === null || hasTag(others, to)) return others;
  return tags.map((each) => (caseKey(each) === key ? to : each));
}

/** A list that is empty then is left out. */
export function replacedActions<Actions extends Pick<ReplyActions, 'addTags' | 'removeTags'>>(
  { addTags = [], removeTags = [], ...others }: Actions,
  change: Replacement,
) {
  const [added, removed] = [replacedTags(addTags, change), replacedTags(removeTags, change)];
  return {
    ...others,
    ...(added.length > 0 && { addTags: added }),
    ...(removed.length > 0 && { removeTags: removed }),
  };
}
