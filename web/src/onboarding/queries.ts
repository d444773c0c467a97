import { useQuery } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { rowsOf } from '../tickets/rows.ts';
import { useRows } from '../tickets/use-ticket-list.ts';

const hasTicket = async (workspaceId: string, query: object) => {
  const tickets = await dataOf(
    api.GET('/v1/workspaces/{workspaceId}/tickets', {
      // openapi.json types repeatable parameters as single values.
      params: { ...inWorkspace(workspaceId), query: { ...query, limit: 1, count: false } as never },
    }),
  );
  return tickets.length > 0;
};

/** Whether an answer was ever sent; undefined until known. Loaded tickets mostly show it without a request. */
export function useHasAnswer(workspaceId: string): boolean | undefined {
  const rows = useRows(workspaceId);
  const isSeen = [...rows.values()].some(({ told }) => told.lastMessage?.direction === 'outbound');
  const { data } = useQuery({
    queryKey: ['workspace', workspaceId, 'has-answer'],
    queryFn: () => hasTicket(workspaceId, { delivery: ['queued', 'sending', 'sent'], archived: 'any' }),
    enabled: !isSeen,
    refetchInterval: 30_000,
  });
  return isSeen || data;
}

/** Whether there are sample tickets. */
export function useHasSamples(workspaceId: string): boolean {
  const isSeen = () => [...rowsOf(workspaceId).values()].some(({ told }) => told.tags.includes('sample'));
  const { data } = useQuery({
    queryKey: ['workspace', workspaceId, 'has-samples'],
    queryFn: () => hasTicket(workspaceId, { tags: ['sample'], archived: 'any' }),
    initialData: () => isSeen() || undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === true;
}
