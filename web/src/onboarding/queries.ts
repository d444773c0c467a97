import { useQuery } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import { settingsQuery } from '../session/queries.ts';
import { rowsOf } from '../tickets/rows.ts';
import { useRows } from '../tickets/use-ticket-list.ts';

/**
 * Whether an answer was ever sent; undefined until known. Loaded tickets mostly show it without a request. Sample
 * tickets have answers that nobody has written.
 */
export function useHasAnswer(workspaceId: string): boolean | undefined {
  const rows = useRows(workspaceId);
  const isSeen = [...rows.values()].some(
    ({ told }) => told.lastMessage?.direction === 'outbound' && !told.tags.includes('sample'),
  );
  const { data } = useQuery({ ...settingsQuery(workspaceId), enabled: !isSeen });
  return isSeen || data?.hasAnswered;
}

// openapi.json types repeatable parameters as single values.
const samples = { tags: ['sample'], archived: 'any', limit: 1, count: false };

/** Whether there are sample tickets. */
export function useHasSamples(workspaceId: string): boolean {
  const isSeen = () => [...rowsOf(workspaceId).values()].some(({ told }) => told.tags.includes('sample'));
  const { data } = useQuery({
    queryKey: ['workspace', workspaceId, 'has-samples'],
    queryFn: async () => {
      return (await inWorkspace(workspaceId).GET('/tickets', { query: samples as never })).length > 0;
    },
    initialData: () => isSeen() || undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === true;
}
