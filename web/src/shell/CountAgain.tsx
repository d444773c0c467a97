import { useEffect, useRef } from 'react';
import { queryClient } from '../api/cache.ts';
import { unreadCountQuery } from '../notifications/queries.ts';
import { countsQuery } from '../tickets/counts.ts';
import { useRows } from '../tickets/use-ticket-list.ts';

/** Changes within this time are counted together, however many follow. */
const gatherMs = 2_000;

/** Counts again after tickets have changed, here or elsewhere. */
export function CountAgain({ workspaceId }: { workspaceId: string }) {
  const rows = useRows(workspaceId);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (rows.size === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries(countsQuery(workspaceId));
      void queryClient.invalidateQueries(unreadCountQuery(workspaceId));
    }, gatherMs);
  }, [workspaceId, rows]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return null;
}
