import { useCallback, useEffect, useRef } from 'react';
import { queryClient } from '../api/cache.ts';
import { onLive } from '../api/live.ts';
import { unreadCountQuery } from '../notifications/queries.ts';
import { countsQuery } from '../tickets/counts/counts.ts';
import { useRows } from '../tickets/use-ticket-list.ts';

/** Changes within this time cost one count, however many they are. */
const gatherMs = 2_000;

/** Fetches the counts again after tickets have changed, here or elsewhere. */
export function CountAgain({ workspaceId }: { workspaceId: string }) {
  const rows = useRows(workspaceId);
  const before = useRef(rows);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const countSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries(countsQuery(workspaceId));
      void queryClient.invalidateQueries(unreadCountQuery(workspaceId));
    }, gatherMs);
  }, [workspaceId]);
  useEffect(() => {
    // Ignores new rows: they come from a list, which changes no count, or from the stream, which is handled below.
    const hasChanged = [...before.current].some(([id, { shown }]) => rows.get(id)?.shown !== shown);
    before.current = rows;
    if (hasChanged) countSoon();
  }, [rows, countSoon]);
  useEffect(
    () => onLive((events) => events.some(({ name }) => name === 'ticket' || name === 'message') && countSoon()),
    [countSoon],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return null;
}
