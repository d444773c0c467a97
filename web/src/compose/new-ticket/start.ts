import { queryOptions, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import type { Ticket } from '../../api/client.ts';
import { membersQuery } from '../../tickets/queries.ts';

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

/** What the person chose. A member who has left since is no assignee any more. */
export function useStart(workspaceId: string): Start {
  const start = useQuery(startQuery(workspaceId)).data;
  const members = useQuery(membersQuery(workspaceId)).data;
  const hasLeft = members?.every(({ userId }) => userId !== start.assigneeId);
  return hasLeft ? { ...start, assigneeId: null } : start;
}

export function keepStart(workspaceId: string, start: Start = asTheServiceDoes): void {
  queryClient.setQueryData(startQuery(workspaceId).queryKey, start);
}
