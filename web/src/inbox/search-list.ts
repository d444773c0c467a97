import type { Ticket } from '../api/client.ts';
import { belongs, isDecidable, type Looker } from '../tickets/filters.ts';
import { type ListParameters, readList } from '../tickets/lists.ts';
import type { Query } from '../tickets/query/query-words.ts';

/** The list of a query, and the parts of the query that are not understood. */
export function listOfQuery({ filters, search, unknown }: Query): { list: ListParameters; unknown: string[] } {
  const written = new URLSearchParams(search === '' ? [] : [['search', search]]);
  for (const [name, value] of Object.entries(filters))
    for (const one of [value].flat()) written.append(name, String(one));
  // `readList` drops parameters that lists do not have.
  const list = readList(written.toString());
  const lost = Object.keys(filters).filter((name) => !(name in list));
  return { list, unknown: [...unknown, ...lost] };
}

/** Loaded tickets that are in a list and have every word of its search, the newest first. */
export function cachedHits(rows: Iterable<Ticket>, list: ListParameters, looker: Looker, max: number): Ticket[] {
  const { search = '', unread, snoozed, ...filters } = list;
  const words = (fold(search).match(/-?"[^"]*"?|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const wanted = words.filter((word) => word !== '' && word !== 'or' && !word.startsWith('-'));
  const unwanted = words.filter((word) => /^-./.test(word)).map((word) => word.slice(1));
  // Only the service knows the tickets of some filters.
  if (wanted.length === 0 || !isDecidable(filters)) return [];
  const hits = [...rows].filter((row) => {
    const { ticketNumber, subject, requester, tags, snoozedUntil } = row;
    // A search also finds snoozed tickets.
    const isSnoozed = snoozedUntil !== null && new Date(snoozedUntil) > looker.now;
    if (!belongs({ ...filters, snoozed: snoozed ?? isSnoozed }, row, looker)) return false;
    if (unread !== undefined && (row.unread ?? false) !== unread) return false;
    const text = fold([`#${ticketNumber}`, subject, requester?.name, requester?.email, ...tags].join(' '));
    return wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word));
  });
  return hits.sort((a, b) => b.lastMessageAt.localeCompare(a.lastMessageAt)).slice(0, max);
}

/** Removes accents and case, as the service does for its search. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
