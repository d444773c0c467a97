import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Ticket } from '../api/client.ts';
import type { ListParameters } from './lists.ts';
import { ticketsQuery } from './queries.ts';
import { rowsKey, rowsOf } from './rows.ts';

type TicketPage = { tickets: Ticket[]; nextCursor: string | undefined };

/** A list with its rows. Rows include changes that the service has not answered yet. */
export function useTicketList(workspaceId: string, list: ListParameters) {
  const lists = useInfiniteQuery(ticketsQuery(workspaceId, list));
  const rows = useRows(workspaceId);
  const { data } = lists;
  // The same as long as nothing changes: with a selection, each other value would have the page drawn again.
  const withRows = useMemo(() => {
    if (data === undefined) return undefined;
    // A ticket that moved between two pages may be on both.
    const seen = new Set<string>();
    const pages = data.pages.map(({ ids, nextCursor }): TicketPage => {
      const fresh = ids.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      return { tickets: fresh.flatMap((id) => rows.get(id)?.shown ?? []), nextCursor };
    });
    return { pages };
  }, [data, rows]);
  return { ...lists, data: withRows };
}

/** All known rows of a workspace. */
export function useRows(workspaceId: string) {
  return useQuery({
    queryKey: rowsKey(workspaceId),
    queryFn: () => rowsOf(workspaceId),
    initialData: () => rowsOf(workspaceId),
    // Lists, tickets and the live stream fill the rows, so they are never fetched.
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}
