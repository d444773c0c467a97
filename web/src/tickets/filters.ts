import type { Ticket } from '../api/client.ts';

export type Looker = { userId: string; teamIds: readonly string[]; now: Date };

/** The names of what changes and filters name by its id. */
export type Names = Record<'person' | 'mailbox' | 'team', (id: string) => string>;

type Values = { several: string[]; text: string; flag: boolean; time: string };
type Filter<Kind extends keyof Values> = {
  kind: Kind;
  /** Whether a list with this value has the row. Only the service knows the tickets of filters without it. */
  row: ((row: Ticket, value: Values[Kind], looker: Looker) => boolean) | undefined;
};

const filter = <Kind extends keyof Values>(kind: Kind, row?: Filter<Kind>['row']): Filter<Kind> => ({ kind, row });
/** The states that a list shows depend on one another: `belongs` decides them together. */
const state = <Kind extends keyof Values>(kind: Kind) => filter(kind, always);
const always = () => true;

/** Every filter of a list, named as in the API, in the order of display. A new one is an entry here. */
export const filters = {
  status: filter('several', (row, status) => status.includes(row.status)),
  tags: filter('several', (row, tags) => {
    const keys = new Set(row.tags.map(caseKey));
    return tags.every((tag) => keys.has(caseKey(tag)));
  }),
  delivery: filter('several'),
  assignee: filter('several', (row, assignee, { userId }) =>
    assignee.some((asked) => isAssignee(asked, row.assigneeId, userId)),
  ),
  ids: filter('several', (row, ids) => ids.includes(row.id)),
  mailbox: filter('several', (row, mailbox) => mailbox.some((id) => id === row.mailboxId)),
  team: filter('several', (row, team, { teamIds }) => team.some((asked) => isTeam(asked, row.teamId, teamIds))),
  priority: filter('text', (row, priority) => row.priority === caseKey(priority)),
  snoozed: state('flag'),
  archived: state('text'),
  contact: filter('text'),
  happened: filter('text'),
  trash: state('flag'),
  spam: state('flag'),
  unread: filter('flag'),
  following: filter('flag'),
  mentioned: filter('flag'),
  hasAttachment: filter('flag', (row, has) => row.attachmentCount > 0 === has),
  createdFrom: filter('time', (row, from) => Date.parse(row.createdAt) >= Date.parse(from)),
  createdTo: filter('time', (row, to) => Date.parse(row.createdAt) < Date.parse(to)),
  lastMessageFrom: filter('time', (row, from) => Date.parse(row.lastMessageAt) >= Date.parse(from)),
  lastMessageTo: filter('time', (row, to) => Date.parse(row.lastMessageAt) < Date.parse(to)),
};

type Filters = typeof filters;
export type FilterName = keyof Filters;
export type NameOf<Kind extends keyof Values> = {
  [Name in FilterName]: Filters[Name]['kind'] extends Kind ? Name : never;
}[FilterName];
export type FilterValues = { [Name in FilterName]?: Values[Filters[Name]['kind']] };

// `keys` and `filter` do not follow types.
const filterNames = Object.keys(filters) as FilterName[];
export const namesOf = <Kind extends keyof Values>(kind: Kind): NameOf<Kind>[] =>
  filterNames.filter((name) => filters[name].kind === kind) as NameOf<Kind>[];

/** Filters that a list has or has not, beside those of its states. */
export const ownFlags = namesOf('flag').filter((name) => filters[name].row !== always);

/** Whether rows alone decide which tickets a list with these filters has. */
export function isDecidable(list: FilterValues & { search?: string }): boolean {
  return list.search === undefined && filterNames.every((name) => list[name] === undefined || filters[name].row);
}

/** Whether a ticket is in a list that is decidable, by the rules of the API's `listTickets`. */
export function belongs(list: FilterValues & { sort?: string }, row: Ticket, looker: Looker): boolean {
  if (!isShown(list, row, looker.now) || (list.sort === 'waitingSince' && row.waitingSince === null)) return false;
  return filterNames.every((name) => {
    const value = list[name];
    // The type of `filters` ties each value to its filter.
    const decide = filters[name].row as Filter<keyof Values>['row'];
    return value === undefined || decide?.(row, value as never, looker) !== false;
  });
}

function isShown(list: FilterValues, row: Ticket, now: Date): boolean {
  const isOfHidden = list.trash === true || list.spam === true;
  if (isOfHidden ? !isHidden(list, row) : !isOutside(list, row)) return false;
  const isSnoozed = row.snoozedUntil !== null && new Date(row.snoozedUntil) > now;
  // Trash and spam show snoozed tickets unless they are asked about them.
  return isSnoozed === (list.snoozed === true) || (isOfHidden && list.snoozed === undefined);
}

/** Whether a ticket is in a list of the trash or of spam. Spam in the trash is only in lists of the trash. */
function isHidden({ trash, spam }: FilterValues, { trashedAt, spamAt, mergedIntoId }: Ticket): boolean {
  return mergedIntoId === null && (trashedAt !== null) === (trash === true) && (spam !== true || spamAt !== null);
}

/** Whether a ticket outside trash and spam is in a list, by the list's rules for archived and merged tickets. */
function isOutside({ archived = 'false', status }: FilterValues, row: Ticket): boolean {
  if (row.trashedAt !== null || row.spamAt !== null) return false;
  if (archived === 'any') return true;
  if ((row.archivedAt !== null) !== (archived === 'true')) return false;
  return row.mergedIntoId === null || status?.includes('closed') === true;
}

function isAssignee(written: string, assigneeId: string | null, userId: string): boolean {
  const asked = written.trim().toLowerCase();
  if (asked === 'none') return assigneeId === null;
  return assigneeId === (asked === 'me' ? userId : asked);
}

function isTeam(written: string, teamId: string | null, own: readonly string[]): boolean {
  const asked = written.trim().toLowerCase();
  if (asked === 'none') return teamId === null;
  return asked === 'mine' ? teamId !== null && own.includes(teamId) : teamId === asked;
}

/** A form of a name that ignores case, as the service compares tags and priorities. */
export function caseKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
