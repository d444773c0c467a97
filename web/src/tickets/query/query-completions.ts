import { nameOf, quoted, states } from './query-words.ts';

/** The operators and their fixed values, for completion. */
const operators: Record<string, readonly string[]> = {
  from: [],
  to: [],
  tag: [],
  is: Object.keys(states),
  status: ['open', 'pending', 'closed'],
  assignee: ['me', 'none'],
  team: ['mine', 'none'],
  priority: ['urgent', 'high', 'normal', 'low'],
  mailbox: [],
  in: [],
  has: ['attachment'],
  before: [],
  after: [],
};

type Named = 'tag' | 'in' | 'assignee' | 'team';

/**
 * Completions of the last word.
 * @param known tags for `tag:`, addresses of mailboxes for `in:`, names of members for `assignee:` and of teams for
 *   `team:`
 * @param today for the days that `before:` and `after:` offer
 * @returns whole texts, each with the last word completed
 */
export function completionsOf(
  text: string,
  known: Record<Named, readonly string[]>,
  { max = 8, today = new Date() } = {},
): string[] {
  const [, before = '', last = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
  const [operator = '', value] = last.toLowerCase().split(':', 2);
  if (operator === '') return [];
  if (value === undefined)
    return Object.keys(operators)
      .filter((name) => name.startsWith(operator))
      .map((name) => `${before}${name}:`);
  const name = nameOf(operator);
  const isDay = name === 'before' || name === 'after';
  const more = name in known ? known[name as Named] : [];
  const values = [...(operators[name] ?? []), ...more, ...(isDay ? daysBefore(today) : [])];
  return values
    .filter((each) => each.toLowerCase().startsWith(value) && each.toLowerCase() !== value)
    .slice(0, max)
    .map((each) => `${before}${operator}:${quoted(each)} `);
}

/** Today, and days a week, a month and a year ago. */
function daysBefore(today: Date): string[] {
  return [0, 7, 30, 365].map((days) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - days);
    const number = (value: number) => String(value).padStart(2, '0');
    return `${day.getFullYear()}-${number(day.getMonth() + 1)}-${number(day.getDate())}`;
  });
}
