import { queryOptions, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { Start } from '../../api/start.ts';
import { rowsOf } from '../rows.ts';
import { corrected, countsKey, type Move, mayLack, ownMovesShown } from './count-moves.ts';

type Count = { count: number; isAtLeast: boolean };
type Counts = Start['counts'];

export function countsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: countsKey(workspaceId),
    queryFn: () => settled(workspaceId, () => inWorkspace(workspaceId).GET('/counts')),
    refetchInterval: 60_000,
  });
}

/**
 * The stream mostly tells of a ticket within this time after the service has counted it. Where it takes longer, the
 * count is right all the same, but changes before its list.
 */
const tellMs = 300;

/**
 * The counts that a read brings. If changes of the member were on their way meanwhile, nobody knows whether the service
 * has counted them: then the counts on the screen stay, and the end of the change has them counted again.
 */
export async function settled(workspaceId: string, read: () => Promise<Counts>): Promise<Counts> {
  const before = ownMovesShown();
  const wereUnsent = unsent(workspaceId).length > 0;
  let counts = await read();
  if (queryClient.getQueryData(countsKey(workspaceId)) !== undefined)
    await new Promise((done) => setTimeout(done, tellMs));
  // What the stream told meanwhile is committed, so the next read has it.
  if (mayLack(workspaceId, counts)) counts = await read();
  const moves = unsent(workspaceId);
  const shown = queryClient.getQueryData<Counts>(countsKey(workspaceId));
  const isUnsure = wereUnsent || moves.length > 0 || ownMovesShown() !== before;
  return shown !== undefined && isUnsure ? shown : corrected(workspaceId, counts, moves);
}

function unsent(workspaceId: string): Move[] {
  const rows = [...rowsOf(workspaceId).values()].filter(({ held }) => held.length > 0);
  return rows.map((row) => ({ from: row.told, to: row.shown }));
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
