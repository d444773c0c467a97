import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { teamsQuery } from '../../tickets/queries.ts';

export type Team = Awaited<ReturnType<NonNullable<ReturnType<typeof teamsQuery>['queryFn']>>>[number];
export type TeamWithMembers = components['schemas']['TeamWithMembers'];

export function teamQuery(workspaceId: string, teamId: string) {
  return queryOptions({
    // Below the key of the list, so that both are read again together.
    queryKey: [...teamsQuery(workspaceId).queryKey, teamId],
    queryFn: () => inWorkspace(workspaceId).GET('/teams/{teamId}', { path: { teamId } }),
  });
}

export function refreshTeams(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: teamsQuery(workspaceId).queryKey });
}
