import { useEffect, useMemo } from 'react';
import type { Ticket } from '../api/client.ts';
import { createTicketWarmer } from '../tickets/warm-tickets.ts';

/** How far from the cursor tickets are read ahead, the likeliest first. */
const steps = [0, 1, 2, -1];

/**
 * Keeps the tickets around the cursor at hand, so that the next one is shown without waiting for the service.
 * @param cursorIndex -1 in front of the first row
 * @returns what does the same for the row under the pointer
 */
export function useWarmTickets(workspaceId: string, tickets: readonly Ticket[], cursorIndex: number) {
  const warmer = useMemo(() => createTicketWarmer(workspaceId), [workspaceId]);
  useEffect(() => warmer.warmNear(steps.flatMap((step) => tickets[cursorIndex + step] ?? [])));
  useEffect(() => warmer.stop, [warmer]);
  return warmer.warmHovered;
}
