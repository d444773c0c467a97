import { type FilterValues, namesOf } from '../filters.ts';

/** Finds the ids of members, mailboxes and teams by the names that a search uses. */
export type QueryNames = {
  /** The members whose name or address begins with the word, by id. */
  members: (word: string) => readonly string[];
  mailboxes: (word: string) => readonly string[];
  teams: (word: string) => readonly string[];
};

export type Query = {
  filters: FilterValues;
  /** The text to search for: words, phrases, `-word`, `or`, in the syntax of the API. */
  search: string;
  /** The number of the ticket, where the whole query is a number. */
  number: number | undefined;
  /** Operators with a value that is not understood, as they were written. The search leaves them out. */
  unknown: string[];
};

/** Operators with two names. */
const sameAs: Record<string, string> = { mailbox: 'in' };

type Reader = (value: string, names: QueryNames) => FilterValues | { words: string } | undefined;

export const undelivered = ['failed', 'bounced', 'uncertain'];
const statuses = ['open', 'pending', 'closed'];
/** Other flags have an operator of their own, such as `has:attachment`. */
const flagsOfIs = namesOf('flag').filter((name) => name === name.toLowerCase());
/** The values of `is:`. */
export const states: Record<string, FilterValues> = {
  open: { status: ['open'] },
  pending: { status: ['pending'] },
  closed: { status: ['closed'] },
  archived: { archived: 'true' },
  ...Object.fromEntries(flagsOfIs.map((name) => [name, { [name]: true }])),
  unassigned: { assignee: ['none'] },
  undelivered: { delivery: undelivered },
};

const readers: Record<string, Reader> = {
  // The service also searches names and addresses of people, so these are plain words.
  from: (value) => ({ words: quoted(value) }),
  to: (value) => ({ words: quoted(value) }),
  tag: (value) => ({ tags: [value] }),
  is: (value) => states[value.toLowerCase()],
  status: (value) => (statuses.includes(value.toLowerCase()) ? states[value.toLowerCase()] : undefined),
  assignee: (value, names) => {
    const word = value.toLowerCase();
    if (word === 'me' || word === 'none') return { assignee: [word] };
    const only = onlyOf(names.members(value));
    return only === undefined ? undefined : { assignee: [only] };
  },
  priority: (value) => ({ priority: value }),
  in: (value, names) => {
    const only = onlyOf(names.mailboxes(value));
    return only === undefined ? undefined : { mailbox: [only] };
  },
  team: (value, names) => {
    const word = value.toLowerCase();
    const only = word === 'mine' || word === 'none' ? word : onlyOf(names.teams(value));
    return only === undefined ? undefined : { team: [only] };
  },
  has: (value) => (/^(attachments?|files?)$/i.test(value) ? { hasAttachment: true } : undefined),
  before: (value) => dayFilter('lastMessageTo', value),
  after: (value) => dayFilter('lastMessageFrom', value),
};

/** The one record that a name means. */
function onlyOf([only, ...others]: readonly string[]): string | undefined {
  return others.length === 0 ? only : undefined;
}

/** A word, a phrase in quotes, or an operator followed by either. */
const part = /-?(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/giu;

/**
 * Reads the text that a person typed into the search box.
 * @param text for instance `tag:vip is:open "flat tyre" -brake`
 */
export function readQuery(text: string, names: QueryNames): Query {
  const query: Query = { filters: {}, search: '', number: undefined, unknown: [] };
  const words: string[] = [];
  for (const [whole, operator, phrase, word] of text.matchAll(part)) {
    const reader = operator === undefined || whole.startsWith('-') ? undefined : readers[nameOf(operator)];
    if (reader === undefined) {
      words.push(whole);
      continue;
    }
    const read = reader((phrase ?? word ?? '').trim(), names);
    if (read === undefined) query.unknown.push(whole);
    else if ('words' in read) words.push(read.words);
    else add(query.filters, read);
  }
  query.search = words.join(' ');
  const number = /^#?([1-9]\d{0,8})$/.exec(query.search)?.[1];
  if (number !== undefined && Object.keys(query.filters).length === 0) query.number = Number(number);
  return query;
}

export function nameOf(operator: string): string {
  const name = operator.toLowerCase();
  return sameAs[name] ?? name;
}

/** Merges filters: lists of values add up, and of single values the last wins. */
function add(filters: FilterValues, read: FilterValues): void {
  const before = { ...filters };
  Object.assign(filters, read);
  for (const name of namesOf('several')) {
    const values = [...(before[name] ?? []), ...(read[name] ?? [])];
    if (values.length > 0) filters[name] = [...new Set(values)];
  }
}

export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

/** Days are those of the browser's time zone. */
function dayFilter(name: 'lastMessageFrom' | 'lastMessageTo', value: string): FilterValues | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return date.getMonth() === Number(month) - 1 ? { [name]: date.toISOString() } : undefined;
}
