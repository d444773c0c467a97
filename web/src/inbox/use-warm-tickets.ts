import { useEffect, useMemo } from 'react';
import type { Ticket } from '../api/client.ts';
import { createTicketWarmer } from '../tickets/warm-tickets.ts';

/** The rows to prefetch, counted from the cursor, the likeliest first. */
const steps = [0, 1, 2, -1];

/**
 * Prefetches the tickets around the cursor, so that the next ticket opens without waiting for the service.
 * @param cursorIndex -1 before the first row
 * @returns a function that prefetches the ticket under the pointer
 */
export function useWarmTickets(workspaceId: string, tickets: readonly Ticket[], cursorIndex: number) {
  const warmer = useMemo(() => createTicketWarmer(workspaceId), [workspaceId]);
  useEffect(() => warmer.warmNear(steps.flatMap((step) => tickets[cursorIndex + step] ?? [])));
  useEffect(() => warmer.stop, [warmer]);
  return warmer.warmHovered;
}
