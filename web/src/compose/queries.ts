import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import type { paths } from '../api/schema.d.ts';

export type Draft =
  paths['/v1/workspaces/{workspaceId}/drafts']['get']['responses'][200]['content']['application/json']['items'][number];

const readAgainMs = 5_000;

/** The member's drafts of an answer and a note on a ticket. */
export function draftsQuery(workspaceId: string, ticketId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'drafts', ticketId],
    queryFn: async () => {
      const { items } = await inWorkspace(workspaceId).GET('/drafts', { query: { ticketId } });
      return items;
    },
    // Text is not saved until the first answer, so a failed fetch is repeated.
    refetchInterval: ({ state }) => (state.data === undefined ? readAgainMs : false),
    // The draft may have changed in another tab or on another machine.
    refetchOnMount: 'always',
    refetchOnWindowFocus: true,
  });
}
