import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { operations } from '../../api/schema.d.ts';

type Page = operations['listQuarantinedMails']['responses']['200']['content']['application/json'];
export type Quarantined = Page['items'][number];

const quarantineKey = (workspaceId: string) => ['workspace', workspaceId, 'quarantine'] as const;

export function quarantineQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: quarantineKey(workspaceId),
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/mail/quarantine', { query: cursor === undefined ? {} : { cursor } }),
    // A mail that is read again and fails comes back after some seconds.
    refetchInterval: 10_000,
  });
}

export function quarantinedQuery(workspaceId: string, rawMailId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'quarantined', rawMailId],
    queryFn: () => inWorkspace(workspaceId).GET('/mail/quarantine/{rawMailId}', { path: { rawMailId } }),
  });
}

/** Reads the mail again, or discards it. */
export async function settle(workspaceId: string, rawMailId: string, verb: 'retry' | 'discard'): Promise<void> {
  await inWorkspace(workspaceId).POST(`/mail/quarantine/{rawMailId}/${verb}`, { path: { rawMailId } });
  await queryClient.invalidateQueries({ queryKey: quarantineKey(workspaceId) });
}

export function rawAddress(workspaceId: string, messageId: string): string {
  return `/v1/workspaces/${workspaceId}/messages/${messageId}/raw`;
}
