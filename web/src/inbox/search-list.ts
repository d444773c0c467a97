import type { Ticket } from '../api/client.ts';
import type { Query } from '../lib/query-words.ts';
import { type ListParameters, readList } from '../tickets/lists.ts';

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

/** Loaded tickets that have every word of a search, the newest first. */
export function cachedHits(rows: Iterable<Ticket>, search: string, max: number): Ticket[] {
  const wanted = fold(search)
    .replaceAll('"', '')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'or' && !word.startsWith('-'));
  if (wanted.length === 0) return [];
  const hits = [...rows].filter(({ ticketNumber, subject, requester, tags, archivedAt }) => {
    if (archivedAt !== null) return false;
    const text = fold([`#${ticketNumber}`, subject, requester?.name, requester?.email, ...tags].join(' '));
    return wanted.every((word) => text.includes(word));
  });
  return hits.sort((a, b) => b.lastMessageAt.localeCompare(a.lastMessageAt)).slice(0, max);
}

/** Removes accents and case, as the service does for its search. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
