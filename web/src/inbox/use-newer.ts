import { useState } from 'react';
import type { Ticket } from '../api/client.ts';

/**
 * Counts the tickets that came to the top of a list since the person last scrolled there.
 * @param isByTime whether the newest messages come first; in other orders new tickets do not come at the top
 */
export function useNewer(tickets: readonly Ticket[], isAtTop: boolean, isByTime: boolean): number {
  const newest = tickets[0]?.lastMessageAt ?? '';
  const [seen, setSeen] = useState(newest);
  if (isAtTop && seen !== newest) setSeen(newest);
  if (isAtTop || !isByTime) return 0;
  const count = tickets.findIndex(({ lastMessageAt }) => lastMessageAt <= seen);
  return count === -1 ? 0 : count;
}
