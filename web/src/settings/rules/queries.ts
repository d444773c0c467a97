import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { operations } from '../../api/schema.d.ts';
import { rulesKey, rulesQuery } from '../../tickets/rules.ts';

export type Rule = operations['readRule']['responses'][200]['content']['application/json'];

export function ruleRunsQuery(workspaceId: string, ruleId: string) {
  return infiniteQueryOptions({
    queryKey: [...rulesKey(workspaceId), 'runs', ruleId],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/rules/{ruleId}/runs', {
        path: { ruleId },
        query: cursor === undefined ? {} : { cursor },
      }),
  });
}

export function refreshRules(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: rulesKey(workspaceId) });
}

/** Shows another order before the service has answered. */
export function setRules(workspaceId: string, rules: Rule[]): void {
  queryClient.setQueryData(rulesQuery(workspaceId).queryKey, rules);
}
