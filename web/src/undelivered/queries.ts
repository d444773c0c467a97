import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';
import { countsQuery } from '../tickets/counts/counts.ts';
import { refreshTicket } from '../tickets/sending/sending.ts';

type Page = operations['listUndeliveredMessages']['responses']['200']['content']['application/json'];
export type Undelivered = Page['items'][number];

/** Below the key of the counts: what counts again also lists again. */
const undeliveredKey = (workspaceId: string) => [...countsQuery(workspaceId).queryKey, 'undelivered'];

export function undeliveredQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: undeliveredKey(workspaceId),
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/messages/undelivered', { query: cursor === undefined ? {} : { cursor } }),
  });
}

/** Sends the message again, or marks it as handled. */
export async function settle(workspaceId: string, { id, ticketId }: Undelivered, verb: 'retry' | 'handled') {
  const path = { ticketId, messageId: id };
  await inWorkspace(workspaceId).POST(`/tickets/{ticketId}/messages/{messageId}/${verb}`, { path });
  refreshTicket(workspaceId, ticketId);
  await queryClient.invalidateQueries(countsQuery(workspaceId));
}
