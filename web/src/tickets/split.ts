import { queryClient } from '../api/cache.ts';
import { inWorkspace, type Ticket, type TicketWithMessages } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';
import { receiveRows, ticketKey } from './rows.ts';

type Split = { workspaceId: string; ticket: TicketWithMessages; messageIds: string[]; newSubject: string };

/** Moves messages to a new ticket. @returns the new ticket */
export async function splitTicket({ workspaceId, ticket, messageIds, newSubject }: Split): Promise<Ticket> {
  const answer = await inWorkspace(workspaceId).POST('/tickets/{ticketId}/split', {
    path: { ticketId: ticket.id },
    header: { 'idempotency-key': randomId() },
    body: { messageIds, newSubject },
  });
  receiveRows(workspaceId, [answer.ticket]);
  void queryClient.invalidateQueries({ queryKey: ticketKey(workspaceId, ticket.ticketNumber) });
  return answer.ticket;
}
