import { queryOptions, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import type { Ticket } from '../../api/client.ts';

/** What a new ticket starts as. The page remembers it beside the draft, until the ticket is made. */
export type Start = Pick<Ticket, 'status' | 'assigneeId' | 'tags'>;

const asTheServiceDoes: Start = { status: 'open', assigneeId: null, tags: [] };

function startQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'new-ticket-start'],
    queryFn: () => asTheServiceDoes,
    initialData: asTheServiceDoes,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

export function useStart(workspaceId: string): Start {
  return useQuery(startQuery(workspaceId)).data;
}

export function keepStart(workspaceId: string, start: Start = asTheServiceDoes): void {
  queryClient.setQueryData(startQuery(workspaceId).queryKey, start);
}
