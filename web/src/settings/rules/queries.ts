import { queryClient } from '../../api/cache.ts';
import type { operations } from '../../api/schema.d.ts';
import { rulesKey, rulesQuery } from '../../tickets/rules.ts';

export type Rule = operations['readRule']['responses'][200]['content']['application/json'];

export function refreshRules(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: rulesKey(workspaceId) });
}

/** Shows another order before the service has answered. */
export function setRules(workspaceId: string, rules: Rule[]): void {
  queryClient.setQueryData(rulesQuery(workspaceId).queryKey, rules);
}
