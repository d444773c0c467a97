import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

/** The ticket that took another one in. */
export function mergeTargetQuery(workspaceId: string, ticketId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'merge-target', ticketId],
    queryFn: () =>
      inWorkspace(workspaceId).GET('/tickets/{ticketId}', { path: { ticketId }, query: { trash: true, messages: 1 } }),
  });
}

export function contactQuery(workspaceId: string, contactId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contact', contactId],
    queryFn: () => inWorkspace(workspaceId).GET('/contacts/{contactId}', { path: { contactId } }),
  });
}
