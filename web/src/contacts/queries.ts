import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace, paramsIn } from '../api/client.ts';
import { byCursor, nextCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';

export type Contact = operations['listContacts']['responses']['200']['content']['application/json'][number];

export function contactsQuery(workspaceId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'contacts', search],
    ...byCursor,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam: cursor }) => {
      const query = {
        sort: 'name' as const,
        ...(search === '' ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const asked = api.GET('/v1/workspaces/{workspaceId}/contacts', {
        params: { ...paramsIn(workspaceId), query },
      });
      return { items: await dataOf(asked), nextCursor: nextCursor((await asked).response) };
    },
  });
}

export async function renameContact(workspaceId: string, contactId: string, name: string): Promise<void> {
  const body = { name: name.trim() === '' ? null : name };
  await inWorkspace(workspaceId).PATCH('/contacts/{contactId}', { path: { contactId }, body });
  await refresh(workspaceId);
}

export async function mergeContacts(workspaceId: string, sourceContactId: string, targetContactId: string) {
  const path = { sourceContactId };
  await inWorkspace(workspaceId).POST('/contacts/{sourceContactId}/merge', { path, body: { targetContactId } });
  // Not awaited: the page goes to the other contact at once.
  void refresh(workspaceId);
}

/** Tickets show their requesters, so every answer about the workspace may have changed. */
function refresh(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
}
