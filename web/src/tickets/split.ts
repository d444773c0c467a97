import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace, type Ticket, type TicketWithMessages } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';
import { receiveRows, ticketKey } from './rows.ts';

type Split = { workspaceId: string; ticket: TicketWithMessages; messageIds: string[]; newSubject: string };

/** Moves messages to a new ticket. @returns the new ticket */
export async function splitTicket({ workspaceId, ticket, messageIds, newSubject }: Split): Promise<Ticket> {
  const { header } = inWorkspace(workspaceId);
  const answer = await dataOf(
    api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/split', {
      params: {
        path: { workspaceId, ticketId: ticket.id },
        header: { ...header, 'idempotency-key': randomId() },
      },
      body: { messageIds, newSubject },
    }),
  );
  receiveRows(workspaceId, [answer.ticket]);
  void queryClient.invalidateQueries({ queryKey: ticketKey(workspaceId, ticket.ticketNumber) });
  return answer.ticket;
}
