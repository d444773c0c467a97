import { queryClient } from '../api/cache.ts';
import { ApiError, inWorkspace, type Ticket } from '../api/client.ts';
import { dropRows, ticketKey } from './rows.ts';
import type { Refusal } from './send-change.ts';

type Purge = { workspaceId: string; tickets: readonly Ticket[]; onStep: (purged: number) => void };

/**
 * Deletes tickets in the trash for good, one request after the other. Each ticket is deleted whole or not at all, so an
 * interruption leaves the other tickets in the trash.
 * @returns the tickets that the service refused
 */
export async function purgeTickets({ workspaceId, tickets, onStep }: Purge): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  const purged: Ticket[] = [];
  try {
    for (const ticket of tickets) {
      const reason = await purge(workspaceId, ticket.id);
      if (reason === undefined) purged.push(ticket);
      else refusals.push({ id: ticket.id, ticketNumber: ticket.ticketNumber, reason });
      onStep(purged.length);
    }
  } finally {
    for (const { ticketNumber } of purged)
      queryClient.removeQueries({ queryKey: ticketKey(workspaceId, ticketNumber) });
    dropRows(
      workspaceId,
      purged.map(({ id }) => id),
    );
  }
  return refusals;
}

/** @returns why the service refused it, if it did */
async function purge(workspaceId: string, ticketId: string): Promise<string | undefined> {
  try {
    await inWorkspace(workspaceId).POST('/tickets/{ticketId}/purge', { path: { ticketId } });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // Another person, or a request whose answer was lost, has deleted it already.
    return error.status === 404 ? undefined : error.message;
  }
}
