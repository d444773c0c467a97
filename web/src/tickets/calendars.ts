import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

export const calendarsKey = (workspaceId: string) => ['workspace', workspaceId, 'calendars'] as const;

/** The business hours of the workspace. */
export function calendarsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: calendarsKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/calendars'),
  });
}
