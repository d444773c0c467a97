import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

export const rulesKey = (workspaceId: string) => ['workspace', workspaceId, 'rules'] as const;

/** The rules of the workspace, in the order in which they run. */
export function rulesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: rulesKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/rules'),
    staleTime: 60_000,
  });
}
