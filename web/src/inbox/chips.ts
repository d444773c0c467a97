import { type ListParameters, listDefault } from '../tickets/lists.ts';
import { type WordKey, words } from '../words/words.ts';

export type Chip = { text: string; without: ListParameters };
type NameOf = (userId: string) => string;

const several = ['status', 'tags', 'delivery'] as const;
const single = ['assignee', 'priority', 'snoozed', 'archived', 'contact'] as const;

/** Each filter of a list in words, and the list without it. */
export function chipsOf(list: ListParameters, nameOf: NameOf): Chip[] {
  const ofSeveral = several.flatMap((name) =>
    (list[name] ?? []).map((value) => {
      const left = (list[name] ?? []).filter((other) => other !== value);
      const without = left.length === 0 ? omit(list, name) : { ...list, [name]: left };
      return { text: severalWords(name, value), without };
    }),
  );
  const ofSingle = single.flatMap((name) => {
    const value = list[name];
    if (value === undefined || value === 'false') return [];
    return [{ text: singleWords(name, String(value), nameOf), without: omit(list, name) }];
  });
  return [...ofSeveral, ...ofSingle];
}

/** What is left when every filter is taken away: the order stays. */
export function withoutFilters({ sort, order }: ListParameters): ListParameters {
  return { ...listDefault, ...(sort === undefined ? {} : { sort }), ...(order === undefined ? {} : { order }) };
}

export function omit(list: ListParameters, name: keyof ListParameters): ListParameters {
  const { [name]: _, ...others } = list;
  return others;
}

function severalWords(name: (typeof several)[number], value: string): string {
  if (name === 'status') return words(`status.${value}` as WordKey);
  if (name === 'delivery') return words(`delivery.${value}` as WordKey);
  return words('chip.tag', { tag: value });
}

function singleWords(name: (typeof single)[number], value: string, nameOf: NameOf): string {
  if (name === 'assignee') return words('chip.assignee', { person: assigneeWords(value, nameOf) });
  if (name === 'priority') return words('chip.priority', { priority: value });
  if (name === 'archived') return words(value === 'any' ? 'chip.archivedToo' : 'chip.archived');
  return words(`chip.${name}`);
}

function assigneeWords(assignee: string, nameOf: NameOf): string {
  if (assignee === 'me') return words('chip.me');
  return assignee === 'none' ? words('ticket.nobody') : nameOf(assignee);
}
