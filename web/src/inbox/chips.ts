import { fullDay } from '../lib/dates.ts';
import { type FilterName, filters, type NameOf, type Names, namesOf } from '../tickets/filters.ts';
import { type ListParameters, listDefault } from '../tickets/lists.ts';
import { priorityWords } from '../tickets/priority-words.ts';
import { words, wordsOr } from '../words/words.ts';

export type Chip = { text: string; without: ListParameters };

/** One chip for each filter: its words, and the list without this filter. */
export function chipsOf(list: ListParameters, names: Names): Chip[] {
  const ofSeveral = namesOf('several').flatMap((name) => {
    const values = list[name] ?? [];
    // Ids say nothing to a person.
    if (name === 'ids' && values.length > 0)
      return [{ text: words('chip.ids', { count: values.length }), without: omit(list, name) }];
    return values.map((value) => {
      const left = values.filter((other) => other !== value);
      const without = left.length === 0 ? omit(list, name) : { ...list, [name]: left };
      return { text: severalWords(name, value, names), without };
    });
  });
  const ofSingle = [...namesOf('text'), ...namesOf('flag'), ...namesOf('time')].flatMap((name) => {
    const value = list[name];
    const isDefault = (name === 'snoozed' || name === 'archived') && String(value) === 'false';
    if (value === undefined || isDefault) return [];
    return [{ text: singleWords(name, String(value), names), without: omit(list, name) }];
  });
  return [...ofSeveral, ...ofSingle];
}

/** The default list in the same sort order. */
export function withoutFilters({ sort, order }: ListParameters): ListParameters {
  return { ...listDefault, ...(sort === undefined ? {} : { sort }), ...(order === undefined ? {} : { order }) };
}

export function omit(list: ListParameters, name: keyof ListParameters): ListParameters {
  const { [name]: _, ...others } = list;
  return others;
}

function severalWords(name: NameOf<'several'>, value: string, names: Names): string {
  if (name === 'status') return wordsOr(value, `status.${value}`);
  if (name === 'delivery') return wordsOr(value, `delivery.${value}`);
  if (name === 'assignee') return assigneeWords(value, names);
  if (name === 'mailbox') return words('chip.mailbox', { mailbox: names.mailbox(value) });
  if (name === 'team') return teamWords(value, names);
  return words('chip.tag', { tag: value });
}

function singleWords(name: NameOf<'text' | 'flag' | 'time'>, value: string, names: Names): string {
  if (name === 'priority') return words('chip.priority', { priority: priorityWords(value) });
  if (name === 'archived') return words(value === 'any' ? 'chip.archivedToo' : 'chip.archived');
  if (name === 'happened') return happenedWords(value, names);
  if (isTime(name)) return words(`chip.${name}`, { day: fullDay(value) });
  const flag = words(`chip.${name}`);
  return value === 'false' ? words('chip.not', { filter: flag }) : flag;
}

/** What a report counts, by whom, and on which days. The last instant is outside. */
function happenedWords(happened: string, names: Names): string {
  const [name = '', from = '', to = '', by] = happened.split('/');
  const last = Number.isNaN(Date.parse(to)) ? to : new Date(Date.parse(to) - 1).toISOString();
  const [first, end] = [fullDay(from), fullDay(last)];
  const kind = wordsOr(name, `chip.happened.${name}`);
  const what = by === undefined || by === 'none' ? kind : `${kind} (${names.person(by)})`;
  return first === end ? words('chip.happenedOn', { what, day: first }) : words('chip.happened', { what, first, end });
}

function assigneeWords(assignee: string, names: Names): string {
  if (assignee === 'none') return words('ticket.nobody');
  return words('chip.assignee', { person: assignee === 'me' ? words('chip.me') : names.person(assignee) });
}

function teamWords(team: string, names: Names): string {
  if (team === 'none') return words('ticket.noTeam');
  return team === 'mine' ? words('chip.ownTeams') : words('chip.team', { team: names.team(team) });
}

function isTime(name: FilterName): name is NameOf<'time'> {
  return filters[name].kind === 'time';
}
