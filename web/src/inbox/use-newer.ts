import { useState } from 'react';
import type { Ticket } from '../api/client.ts';

/**
 * How many tickets have come to the top of a list since it was last seen there.
 * @param isByTime whether the newest messages come first; other orders have no top where new tickets come
 */
export function useNewer(tickets: readonly Ticket[], isAtTop: boolean, isByTime: boolean): number {
  const newest = tickets[0]?.lastMessageAt ?? '';
  const [seen, setSeen] = useState(newest);
  if (isAtTop && seen !== newest) setSeen(newest);
  if (isAtTop || !isByTime) return 0;
  const count = tickets.findIndex(({ lastMessageAt }) => lastMessageAt <= seen);
  return count === -1 ? 0 : count;
}
