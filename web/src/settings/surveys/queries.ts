import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';

export type Survey = operations['readSurvey']['responses'][200]['content']['application/json'];
export type NewSurvey = operations['createSurvey']['requestBody']['content']['application/json'];

const keyOf = (workspaceId: string) => ['workspace', workspaceId, 'surveys'] as const;

export function surveysQuery(workspaceId: string) {
  return queryOptions({
    queryKey: keyOf(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/surveys'),
  });
}

export function refreshSurveys(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keyOf(workspaceId) });
}
