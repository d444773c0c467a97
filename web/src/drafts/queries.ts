import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import { countsQuery } from '../tickets/counts.ts';

export type ListedDraft = operations['listDrafts']['responses']['200']['content']['application/json']['items'][number];

/** All drafts of the member, newest first. Below the key of the counts: what counts again also lists again. */
export function ownDraftsQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: [...countsQuery(workspaceId).queryKey, 'drafts'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/drafts', {
          params: { ...inWorkspace(workspaceId), query: cursor === undefined ? {} : { cursor } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The texts may have changed since.
    refetchOnMount: 'always',
  });
}
