import type { Query } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { listsKey, placeInLists } from './list-places.ts';
import { type Rows, rowsOf } from './rows.ts';

/**
 * Corrects each list as it is answered: the service may have gathered it before a ticket changed that the stream has told of
 * meanwhile, and does not know changes that still wait for its answer.
 * @returns what ends it
 */
export function placeOvertaken(workspaceId: string): () => void {
  const [, , lists] = listsKey(workspaceId);
  const asked = new WeakMap<Query, Rows>();
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const [, owner, kind] = query.queryKey;
    if (owner !== workspaceId || kind !== lists) return;
    if (action.type === 'fetch') asked.set(query, rowsOf(workspaceId));
    if (action.type === 'success' && action.manual !== true)
      placeInLists(workspaceId, changedSince(workspaceId, asked.get(query)), rowsOf(workspaceId));
  });
}

function changedSince(workspaceId: string, before: Rows | undefined) {
  return [...rowsOf(workspaceId)]
    .filter(([id, { held, shown }]) => held.length > 0 || before?.get(id)?.shown !== shown)
    .map(([, { shown }]) => shown);
}
