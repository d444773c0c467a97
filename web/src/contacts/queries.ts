import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { nextCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';

export type Contact = operations['listContacts']['responses']['200']['content']['application/json'][number];

export function contactsQuery(workspaceId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'contacts', search],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam: cursor }) => {
      const query = { ...(search === '' ? {} : { search }), ...(cursor === undefined ? {} : { cursor }) };
      const asked = api.GET('/v1/workspaces/{workspaceId}/contacts', {
        params: { ...inWorkspace(workspaceId), query },
      });
      return { items: await dataOf(asked), nextCursor: nextCursor((await asked).response) };
    },
    getNextPageParam: (page) => page.nextCursor,
  });
}

export async function renameContact(workspaceId: string, contactId: string, name: string): Promise<void> {
  const params = { path: { workspaceId, contactId }, header: inWorkspace(workspaceId).header };
  const body = { name: name.trim() === '' ? null : name };
  await dataOf(api.PATCH('/v1/workspaces/{workspaceId}/contacts/{contactId}', { params, body }));
  await refresh(workspaceId);
}

export async function mergeContacts(workspaceId: string, sourceContactId: string, targetContactId: string) {
  const params = { path: { workspaceId, sourceContactId }, header: inWorkspace(workspaceId).header };
  const address = '/v1/workspaces/{workspaceId}/contacts/{sourceContactId}/merge';
  await dataOf(api.POST(address, { params, body: { targetContactId } }));
  await refresh(workspaceId);
}

/** Tickets show their requesters, so every answer about the workspace may have changed. */
function refresh(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
}
