import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';

export function contactQuery(workspaceId: string, contactId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contact', contactId],
    queryFn: () =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/contacts/{contactId}', {
          params: { path: { workspaceId, contactId }, header: inWorkspace(workspaceId).header },
        }),
      ),
  });
}
