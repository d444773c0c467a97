import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';

type Count = { count: number; isAtLeast: boolean };

export function countsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'counts'],
    queryFn: () => dataOf(api.GET('/v1/workspaces/{workspaceId}/counts', { params: inWorkspace(workspaceId) })),
    refetchInterval: 60_000,
  });
}

/** How many tickets the standard lists and the views hold. */
export function useCounts(workspaceId: string) {
  return useQuery(countsQuery(workspaceId)).data;
}

/** A count as the sidebar shows it; undefined for 0. */
export function countWords({ count, isAtLeast }: Count): string | undefined {
  if (count === 0) return undefined;
  return isAtLeast || count > 999 ? '999+' : String(count);
}
