import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import { countsQuery } from '../tickets/counts.ts';
import { refreshTicket } from '../tickets/sending.ts';

type Page = operations['listUndeliveredMessages']['responses']['200']['content']['application/json'];
export type Undelivered = Page['items'][number];

/** Below the key of the counts: what counts again also lists again. */
const undeliveredKey = (workspaceId: string) => [...countsQuery(workspaceId).queryKey, 'undelivered'];

export function undeliveredQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: undeliveredKey(workspaceId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/messages/undelivered', {
          params: { ...inWorkspace(workspaceId), query: cursor === undefined ? {} : { cursor } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Sends the message again, or marks it as handled. */
export async function settle(workspaceId: string, { id, ticketId }: Undelivered, verb: 'retry' | 'handled') {
  const params = { path: { workspaceId, ticketId, messageId: id }, header: inWorkspace(workspaceId).header };
  await dataOf(api.POST(`/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages/{messageId}/${verb}`, { params }));
  refreshTicket(workspaceId, ticketId);
  await queryClient.invalidateQueries(countsQuery(workspaceId));
}
