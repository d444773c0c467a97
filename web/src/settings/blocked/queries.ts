import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { operations } from '../../api/schema.d.ts';

type Page = operations['listBlockedSenders']['responses']['200']['content']['application/json'];
export type BlockedSender = Page['items'][number];

const blockedKey = (workspaceId: string) => ['workspace', workspaceId, 'blocked-senders'] as const;

export function blockedSendersQuery(workspaceId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...blockedKey(workspaceId), search.trim()],
    ...byCursor,
    queryFn: ({ pageParam: cursor, signal }) =>
      inWorkspace(workspaceId).GET('/blocked-senders', {
        query: { ...(search.trim() !== '' && { search: search.trim() }), ...(cursor !== undefined && { cursor }) },
        signal,
      }),
    // The list of before stays while the next search runs.
    placeholderData: (before) => before,
  });
}

type Block = { workspaceId: string; sender: string; evenShared: boolean };

export async function block({ workspaceId, sender, evenShared }: Block): Promise<BlockedSender> {
  const entry = await inWorkspace(workspaceId).POST('/blocked-senders', { body: { sender, evenShared } });
  await queryClient.invalidateQueries({ queryKey: blockedKey(workspaceId) });
  return entry;
}

export async function unblock(workspaceId: string, blockedSenderId: string): Promise<void> {
  await inWorkspace(workspaceId).DELETE('/blocked-senders/{blockedSenderId}', { path: { blockedSenderId } });
  await queryClient.invalidateQueries({ queryKey: blockedKey(workspaceId) });
}
