import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { operations } from '../../api/schema.d.ts';
import { rulesKey, rulesQuery } from '../../tickets/rules.ts';
import { bodyOf, type Rule, type RuleDraft } from './rule.ts';

export type Preview = operations['previewRule']['responses'][200]['content']['application/json'];

/** How far back the preview looks. */
const previewed = 200;

/** What a rule would have done with the newest tickets. Nothing is changed. */
export function previewQuery(workspaceId: string, draft: RuleDraft) {
  const rule = bodyOf(draft);
  return queryOptions({
    queryKey: [...rulesKey(workspaceId), 'preview', rule],
    queryFn: ({ signal }) =>
      inWorkspace(workspaceId).POST('/rules/preview', { body: { rule, last: previewed }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
}

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
