import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, inWorkspace } from '../api/client.ts';

/** The signed-in account and its workspaces. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => dataOf(api.GET('/v1/me')),
  staleTime: 5 * 60_000,
});

export type PublicConfig = Awaited<ReturnType<typeof readConfig>>;

const readConfig = () => dataOf(api.GET('/v1/config'));

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: readConfig,
  staleTime: Number.POSITIVE_INFINITY,
});

/** A workspace with its settings. */
export function settingsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'settings'],
    queryFn: () => inWorkspace(workspaceId).GET(''),
  });
}
