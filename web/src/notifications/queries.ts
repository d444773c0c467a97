import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';

const notificationsKey = (workspaceId: string) => ['workspace', workspaceId, 'notifications'];

/** How many notifications a person has not read. */
export function unreadCountQuery(workspaceId: string) {
  return queryOptions({
    queryKey: [...notificationsKey(workspaceId), 'unread'],
    queryFn: () =>
      dataOf(api.GET('/v1/workspaces/{workspaceId}/notifications/unread-count', { params: inWorkspace(workspaceId) })),
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
  });
}
