import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace, type Ticket, type TicketWithMessages } from '../api/client.ts';

type Fields = { status: Ticket['status'] } | { assigneeId: string | null } | { subject: string };
/** The ticket is part of the change: by the time it is sent, the next ticket may be shown. */
type Change = { ticket: Pick<Ticket, 'id' | 'ticketNumber'>; fields: Fields };

/** Changes a ticket: on the screen at once, taken back when the service refuses it. */
export function useTicketChange(workspaceId: string) {
  const keyOf = ({ ticketNumber }: Change['ticket']) => ['workspace', workspaceId, 'ticket', ticketNumber];
  return useMutation({
    mutationFn: ({ ticket, fields }: Change) => send(workspaceId, ticket.id, fields),
    onMutate: async ({ ticket, fields }) => {
      const queryKey = keyOf(ticket);
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<TicketWithMessages>(queryKey);
      if (before !== undefined) queryClient.setQueryData(queryKey, { ...before, ...fields });
      return { before };
    },
    onError: (_error, { ticket }, context) => {
      if (context?.before !== undefined) queryClient.setQueryData(keyOf(ticket), context.before);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
}

function send(workspaceId: string, ticketId: string, fields: Fields): Promise<Ticket> {
  const params = { path: { workspaceId, ticketId }, header: inWorkspace(workspaceId).header };
  return 'status' in fields
    ? dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/status', {
          params,
          body: { toStatus: fields.status },
        }),
      )
    : dataOf(api.PATCH('/v1/workspaces/{workspaceId}/tickets/{ticketId}', { params, body: fields }));
}
