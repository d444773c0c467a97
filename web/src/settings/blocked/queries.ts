import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { api, dataOf, inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';

type Page = operations['listBlockedSenders']['responses']['200']['content']['application/json'];
export type BlockedSender = Page['items'][number];

const blockedKey = (workspaceId: string) => ['workspace', workspaceId, 'blocked-senders'] as const;

export function blockedSendersQuery(workspaceId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...blockedKey(workspaceId), search.trim()],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/blocked-senders', {
          params: {
            ...inWorkspace(workspaceId),
            query: { ...(search.trim() !== '' && { search: search.trim() }), ...(cursor !== undefined && { cursor }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The list of before stays while the next search runs.
    placeholderData: (before) => before,
  });
}

type Block = { workspaceId: string; sender: string; evenShared: boolean };

export async function block({ workspaceId, sender, evenShared }: Block): Promise<BlockedSender> {
  const entry = await dataOf(
    api.POST('/v1/workspaces/{workspaceId}/blocked-senders', {
      params: inWorkspace(workspaceId),
      body: { sender, evenShared },
    }),
  );
  await queryClient.invalidateQueries({ queryKey: blockedKey(workspaceId) });
  return entry;
}

export async function unblock(workspaceId: string, blockedSenderId: string): Promise<void> {
  const params = { path: { workspaceId, blockedSenderId }, header: inWorkspace(workspaceId).header };
  await dataOf(api.DELETE('/v1/workspaces/{workspaceId}/blocked-senders/{blockedSenderId}', { params }));
  await queryClient.invalidateQueries({ queryKey: blockedKey(workspaceId) });
}
