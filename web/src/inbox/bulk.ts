import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace, type Ticket } from '../api/client.ts';

/** What is changed of each selected ticket. */
export type BulkChange = {
  status?: Ticket['status'];
  assigneeId?: string | null;
  addTags?: string[];
  removeTags?: string[];
  snoozedUntil?: string | null;
  archive?: boolean;
};

type Refusal = { ticketNumber: number; reason: string };
export type BulkOutcome = { changedCount: number; refusedIds: Set<string>; refusals: Refusal[] };

/** So many tickets the service changes in one request. */
const atOnceMax = 500;

/** Changes many tickets, each wholly or not at all, and tells which were refused and why. */
export function useBulkChange(workspaceId: string) {
  return useMutation({
    mutationFn: async ({ tickets, change }: { tickets: readonly Ticket[]; change: BulkChange }) => {
      const outcome: BulkOutcome = { changedCount: 0, refusedIds: new Set(), refusals: [] };
      for (let from = 0; from < tickets.length; from += atOnceMax) {
        const some = tickets.slice(from, from + atOnceMax);
        const numbers = new Map(some.map(({ id, ticketNumber }) => [id, ticketNumber]));
        const { results } = await send(workspaceId, [...numbers.keys()], change);
        for (const { id, error } of results) {
          if (error === undefined) outcome.changedCount += 1;
          else {
            outcome.refusedIds.add(id);
            outcome.refusals.push({ ticketNumber: numbers.get(id) ?? 0, reason: error.fallbackMessage });
          }
        }
      }
      return outcome;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] }),
  });
}

function send(workspaceId: string, ids: string[], change: BulkChange) {
  return dataOf(
    api.POST('/v1/workspaces/{workspaceId}/tickets/bulk', {
      params: inWorkspace(workspaceId),
      body: { ids, ...change },
    }),
  );
}
