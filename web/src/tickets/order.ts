import type { Ticket } from '../api/client.ts';
import type { ListParameters } from './lists.ts';

const ranks: Record<string, number> = { low: 1, normal: 2, high: 3, urgent: 4 };

/**
 * Compares two rows as the API sorts a list with these parameters.
 * @returns undefined for a sort order that rows cannot decide
 */
export function orderOf(list: ListParameters): ((a: Ticket, b: Ticket) => number) | undefined {
  const { sort, order } = list as { sort?: string; order?: string };
  const keysOf = keys[sort ?? 'lastMessageAt'];
  if (keysOf === undefined) return undefined;
  const direction = order === 'asc' ? 1 : -1;
  return (a, b) => direction * compare([...keysOf(a), a.id], [...keysOf(b), b.id]);
}

const keys: Record<string, (row: Ticket) => (string | number)[]> = {
  lastMessageAt: ({ lastMessageAt }) => [lastMessageAt],
  createdAt: ({ createdAt }) => [createdAt],
  updatedAt: ({ updatedAt }) => [updatedAt],
  // A list in this order holds only tickets that wait.
  waitingSince: ({ waitingSince }) => [waitingSince ?? ''],
  priority: ({ priority, lastMessageAt }) => [
    (Object.hasOwn(ranks, priority) ? ranks[priority] : ranks.normal) as number,
    lastMessageAt,
  ],
};

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] as string | number; // both keys have the same length
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
