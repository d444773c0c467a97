import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { api, dataOf, inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';

type Page = operations['listQuarantinedMails']['responses']['200']['content']['application/json'];
export type Quarantined = Page['items'][number];

const quarantineKey = (workspaceId: string) => ['workspace', workspaceId, 'quarantine'] as const;

export function quarantineQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: quarantineKey(workspaceId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/mail/quarantine', {
          params: { ...inWorkspace(workspaceId), query: cursor === undefined ? {} : { cursor } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A mail that is read again and fails comes back after some seconds.
    refetchInterval: 10_000,
  });
}

function inMail(workspaceId: string, rawMailId: string) {
  return { path: { workspaceId, rawMailId }, header: inWorkspace(workspaceId).header };
}

export function quarantinedQuery(workspaceId: string, rawMailId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'quarantined', rawMailId],
    queryFn: () =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/mail/quarantine/{rawMailId}', { params: inMail(workspaceId, rawMailId) }),
      ),
  });
}

/** Reads the mail again, or discards it. */
export async function settle(workspaceId: string, rawMailId: string, verb: 'retry' | 'discard'): Promise<void> {
  const params = inMail(workspaceId, rawMailId);
  await dataOf(api.POST(`/v1/workspaces/{workspaceId}/mail/quarantine/{rawMailId}/${verb}`, { params }));
  await queryClient.invalidateQueries({ queryKey: quarantineKey(workspaceId) });
}

export function rawAddress(workspaceId: string, messageId: string): string {
  return `/v1/workspaces/${workspaceId}/messages/${messageId}/raw`;
}
