import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { unreadCountQuery } from '../notifications/queries.ts';
import { useRows } from './use-ticket-list.ts';

type Count = { count: number; isAtLeast: boolean };

/** Changes within this time are counted together. */
const gatherMs = 1_000;

function countsQuery(workspaceId: string) {
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

/** Counts again after tickets have changed, here or elsewhere. */
export function CountAgain({ workspaceId }: { workspaceId: string }) {
  const rows = useRows(workspaceId);
  useEffect(() => {
    if (rows.size === 0) return undefined;
    const timer = setTimeout(() => {
      void queryClient.invalidateQueries(countsQuery(workspaceId));
      void queryClient.invalidateQueries(unreadCountQuery(workspaceId));
    }, gatherMs);
    return () => clearTimeout(timer);
  }, [workspaceId, rows]);
  return null;
}

/** A count as a sidebar shows it; nothing for none. */
export function countWords({ count, isAtLeast }: Count): string | undefined {
  if (count === 0) return undefined;
  return isAtLeast || count > 999 ? '999+' : String(count);
}
