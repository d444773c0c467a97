import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

const readViews = (workspaceId: string) => inWorkspace(workspaceId).GET('/views');

export type View = Awaited<ReturnType<typeof readViews>>[number];

/** A person's own views and all shared views, by name. */
export function viewsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'views'],
    queryFn: () => readViews(workspaceId),
    staleTime: 60_000,
  });
}
