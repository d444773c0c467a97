import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import type { paths } from '../api/schema.d.ts';

export type Draft =
  paths['/v1/workspaces/{workspaceId}/drafts']['get']['responses'][200]['content']['application/json']['items'][number];

const readAgainMs = 5_000;

/** The member's own answer and note that are not sent yet. */
export function draftsQuery(workspaceId: string, ticketId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'drafts', ticketId],
    queryFn: async () => {
      const { items } = await dataOf(
        api.GET('/v1/workspaces/{workspaceId}/drafts', {
          params: { ...inWorkspace(workspaceId), query: { ticketId } },
        }),
      );
      return items;
    },
    // What is written is not saved before it is known what there is.
    refetchInterval: ({ state }) => (state.data === undefined ? readAgainMs : false),
    // Another tab or machine may have gone on with it.
    refetchOnMount: 'always',
    refetchOnWindowFocus: true,
  });
}

/** People whose name or address goes with the words, each of their addresses by itself. */
export function contactsQuery(workspaceId: string, search: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contacts', search],
    queryFn: async () => {
      const contacts = await dataOf(
        api.GET('/v1/workspaces/{workspaceId}/contacts', {
          params: { ...inWorkspace(workspaceId), query: { search, limit: offeredMax } },
        }),
      );
      return contacts
        .flatMap(({ name, emails }) =>
          emails.map((email) => ({ key: email, text: name ?? email, detail: name === null ? undefined : email })),
        )
        .slice(0, offeredMax);
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

const offeredMax = 8;
