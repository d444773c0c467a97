import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { api, paramsIn } from '../../api/client.ts';
import { allPages } from '../../api/pages.ts';
import type { components } from '../../api/schema.d.ts';

export type ApiKey = components['schemas']['ApiKey'];

export function keysQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'api-keys'],
    queryFn: () =>
      allPages((query) =>
        api.GET('/v1/workspaces/{workspaceId}/api-keys', { params: { ...paramsIn(workspaceId), query } }),
      ),
  });
}

export function refreshKeys(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries(keysQuery(workspaceId));
}
