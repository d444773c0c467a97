import type { Query } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { listsKey, placeInLists } from './list-places.ts';
import { type Rows, rowsOf } from './rows.ts';

/**
 * Corrects each list when its answer arrives. The service may have gathered the list before a change that the live
 * stream has already brought, and it does not know changes that are still on their way to it.
 * @returns a function that ends the corrections
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
