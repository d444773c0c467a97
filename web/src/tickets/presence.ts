import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';

const readPresence = (workspaceId: string) => inWorkspace(workspaceId).GET('/presence');

export type PresentPerson = Awaited<ReturnType<typeof readPresence>>['tickets'][number]['people'][number];
/** The people who view or write each ticket, by its id. Tickets without people are left out. */
type Presence = Readonly<Record<string, readonly PresentPerson[]>>;

/** Presence never goes stale, because the live stream keeps it up to date. */
export function presenceQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'presence'],
    queryFn: async (): Promise<Presence> => {
      const { tickets } = await readPresence(workspaceId);
      return Object.fromEntries(tickets.map(({ ticketId, people }) => [ticketId, people]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Stores the people at a ticket. */
export function receivePresence(workspaceId: string, ticketId: string, people: readonly PresentPerson[]): void {
  queryClient.setQueryData(presenceQuery(workspaceId).queryKey, (before: Presence = {}) => {
    const { [ticketId]: _, ...others } = before;
    return people.length === 0 ? others : { ...others, [ticketId]: people };
  });
}
