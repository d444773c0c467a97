import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';
import { randomId } from '../../lib/random-id.ts';
import type { ListParameters } from '../lists.ts';
import type { FieldChange } from '../ticket-change.ts';

export type BulkChange = operations['listBulkChanges']['responses']['200']['content']['application/json'][number];
type Body = NonNullable<operations['changeTickets']['requestBody']>['content']['application/json'];

/** Tickets that match a list, but for some. */
export type Matching = { list: ListParameters; exceptIds: readonly string[] };

/** Addresses and the API have the same parameters. The API checks their values. */
const queryOf = (list: ListParameters) => list as NonNullable<Body['query']>;

/** The exact number of tickets in a list, without the deselected tickets. */
export function matchingCountQuery(workspaceId: string, { list, exceptIds }: Matching) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'matching', list, exceptIds],
    queryFn: async ({ signal }) => {
      const { count } = await inWorkspace(workspaceId).POST('/tickets/bulk/preview', {
        body: { query: queryOf(list), exceptIds: [...exceptIds] },
        signal,
      });
      return count;
    },
    retry: false,
  });
}

type Begin = Matching & { fields: FieldChange; expectedCount: number };

/** Begins a change of all matching tickets. @throws `bulk_change.count_changed` if another number matches by now */
export async function beginBulkChange(workspaceId: string, { list, exceptIds, fields, expectedCount }: Begin) {
  const change = await inWorkspace(workspaceId).POST('/tickets/bulk', {
    header: { 'idempotency-key': randomId() },
    body: { ...fields, query: queryOf(list), exceptIds: [...exceptIds], expectedCount },
  });
  // With a query, the answer is a bulk change.
  return change as unknown as BulkChange;
}

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'bulk-changes'] as const;
const progressMs = 1_000;

export const isUnderWay = ({ state }: Pick<BulkChange, 'state'>): boolean => state === 'running' || state === 'undoing';

/** The newest bulk changes, polled while a change is under way. */
export function bulkChangesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: listKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/bulk-changes'),
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? progressMs : false),
  });
}

/** One bulk change with its refused tickets. */
export function bulkChangeQuery(workspaceId: string, bulkChangeId: string) {
  return queryOptions({
    queryKey: [...listKey(workspaceId), bulkChangeId],
    queryFn: () => inWorkspace(workspaceId).GET('/bulk-changes/{bulkChangeId}', { path: { bulkChangeId } }),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? progressMs : false),
  });
}

/** Stops a bulk change, or begins to undo it. */
export async function steerBulkChange(workspaceId: string, bulkChangeId: string, verb: 'stop' | 'undo') {
  await inWorkspace(workspaceId).POST(`/bulk-changes/{bulkChangeId}/${verb}`, { path: { bulkChangeId } });
  await queryClient.invalidateQueries({ queryKey: listKey(workspaceId) });
}
