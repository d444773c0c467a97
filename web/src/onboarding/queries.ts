import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';

const firstTicket = async (workspaceId: string, query: object) =>
  dataOf(
    api.GET('/v1/workspaces/{workspaceId}/tickets', {
      // The document types parameters that may be repeated as their single values.
      params: { ...inWorkspace(workspaceId), query: { ...query, limit: 1, count: false } as never },
    }),
  );

/** A ticket in which an answer went out, if there is any. */
export function answersQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'first-answer'],
    queryFn: () => firstTicket(workspaceId, { delivery: ['queued', 'sending', 'sent'], archived: 'any' }),
    refetchInterval: 30_000,
  });
}

/** Whether there are sample tickets. */
export function samplesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'samples'],
    queryFn: async () => (await firstTicket(workspaceId, { tags: ['sample'], archived: 'any' })).length > 0,
  });
}
