import type { CommandId } from '../commands.ts';
import type { IconName } from '../ui/Icon.tsx';
import type { WordKey } from '../words/words.ts';
import { type FilterValues, namesOf } from './filters.ts';

/** The parameters of a list, the same in the address bar and the API. */
export type ListParameters = FilterValues & { search?: string; sort?: string; order?: string };

const several = namesOf('several');
const single = [...namesOf('text'), ...namesOf('time'), 'search', 'sort', 'order'] as const;
const flags = namesOf('flag');

/** The lists that the API counts; of mentions it counts the unread ones. */
type Counted = 'mine' | 'unassigned' | 'open' | 'mentions' | 'pending' | 'snoozed';

export type StandardList = {
  name: WordKey;
  parameters: ListParameters;
  icon: IconName;
  command: CommandId;
  counted?: Counted;
  group: 'inbox' | 'later' | 'done';
};

export const standardLists: readonly StandardList[] = [
  {
    name: 'list.mine',
    parameters: { status: ['open'], assignee: ['me'] },
    icon: 'person',
    command: 'goMine',
    counted: 'mine',
    group: 'inbox',
  },
  {
    name: 'list.unassigned',
    parameters: { status: ['open'], assignee: ['none'] },
    icon: 'unassigned',
    command: 'goUnassigned',
    counted: 'unassigned',
    group: 'inbox',
  },
  {
    name: 'list.open',
    parameters: { status: ['open'] },
    icon: 'inbox',
    command: 'goOpen',
    counted: 'open',
    group: 'inbox',
  },
  {
    name: 'list.mentions',
    parameters: { mentioned: true },
    icon: 'mention',
    command: 'goMentions',
    counted: 'mentions',
    group: 'inbox',
  },
  {
    name: 'list.pending',
    parameters: { status: ['pending'] },
    icon: 'pause',
    command: 'goPending',
    counted: 'pending',
    group: 'later',
  },
  {
    name: 'list.snoozed',
    parameters: { snoozed: true },
    icon: 'snooze',
    command: 'goSnoozed',
    counted: 'snoozed',
    group: 'later',
  },
  { name: 'list.closed', parameters: { status: ['closed'] }, icon: 'done', command: 'goClosed', group: 'done' },
  { name: 'list.archive', parameters: { archived: 'true' }, icon: 'archive', command: 'goArchive', group: 'done' },
  { name: 'list.spam', parameters: { spam: true }, icon: 'spam', command: 'goSpam', group: 'done' },
  { name: 'list.trash', parameters: { trash: true }, icon: 'trash', command: 'goTrash', group: 'done' },
];

/** The open tickets of a mailbox. */
export const listOfMailbox = (id: string): ListParameters => ({ status: ['open'], mailbox: [id] });

/** The open tickets of a team. */
export const listOfTeam = (id: string): ListParameters => ({ status: ['open'], team: [id] });

/** The list of an address without parameters. */
export const listDefault: ListParameters = { status: ['open'] };

/** Marks a list without filters in the address, because an address without parameters means the default list. */
const unfiltered = 'archived=false';

export function readList(search: string): ListParameters {
  const given = new URLSearchParams(search);
  const list: ListParameters = {};
  for (const name of several) {
    const values = given.getAll(name).filter(Boolean);
    if (values.length > 0) list[name] = values;
  }
  for (const name of single) {
    const value = given.get(name);
    if (value) list[name] = value;
  }
  for (const name of flags) {
    const value = given.get(name);
    if (value === 'true' || value === 'false') list[name] = value === 'true';
  }
  return Object.keys(list).length === 0 ? listDefault : list;
}

/** The list of a query of the API, such as that of a view. */
export function readQuery(query: object): ListParameters {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) written.append(name, String(each));
  return readList(written.size === 0 ? unfiltered : written.toString());
}

/** Writes equal lists as equal texts, so that addresses and cached lists can be compared. */
export function writeList(list: ListParameters): string {
  const written = new URLSearchParams();
  for (const name of several) for (const value of list[name] ?? []) written.append(name, value);
  for (const name of single) if (list[name]) written.set(name, list[name]);
  for (const name of flags) if (list[name] !== undefined) written.set(name, String(list[name]));
  return written.size === 0 ? unfiltered : written.toString();
}

/** A list, and the view that it belongs to, if any. */
export type ListPlace = { list: ListParameters; viewId: string | undefined };

export function readPlace(search: string): ListPlace {
  return { list: readList(search), viewId: new URLSearchParams(search).get('view') ?? undefined };
}

export function writePlace(list: ListParameters, viewId: string | undefined): string {
  return viewId === undefined ? writeList(list) : `${writeList(list)}&view=${viewId}`;
}

/** The standard list with these filters, in any sort order. */
export function standardListOf({ sort: _sort, order: _order, ...filters }: ListParameters): StandardList | undefined {
  const written = writeList(filters);
  return standardLists.find(({ parameters }) => writeList(parameters) === written);
}
