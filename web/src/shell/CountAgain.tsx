import { useEffect } from 'react';
import { queryClient } from '../api/cache.ts';
import { unreadCountQuery } from '../notifications/queries.ts';
import { countsQuery } from '../tickets/counts.ts';
import { useRows } from '../tickets/use-ticket-list.ts';

/** Changes within this time are counted together. */
const gatherMs = 1_000;

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
