import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import type { ListParameters } from '../tickets/lists.ts';
import { type View, viewsQuery } from './queries.ts';

type Fields = { name?: string; isShared?: boolean; list?: ListParameters };

/** Creates a view, or changes the view with the id. */
export function useSaveView(workspaceId: string) {
  return useMutation({
    mutationFn: ({ id, name, isShared, list }: Fields & { id?: string }): Promise<View> => {
      // Addresses and the API have the same parameters. The API checks their values.
      const query = list as View['query'] | undefined;
      const fields = { ...(name !== undefined && { name }), ...(isShared !== undefined && { isShared }) };
      if (id !== undefined)
        return inWorkspace(workspaceId).PATCH('/views/{viewId}', {
          path: { viewId: id },
          body: { ...fields, ...(query !== undefined && { query }) },
        });
      return inWorkspace(workspaceId).POST('/views', {
        body: { name: name ?? '', query: query ?? {}, isShared: isShared ?? false },
      });
    },
    onSuccess: () => queryClient.invalidateQueries(viewsQuery(workspaceId)),
  });
}

export function useDeleteView(workspaceId: string) {
  return useMutation({
    mutationFn: (id: string) => inWorkspace(workspaceId).DELETE('/views/{viewId}', { path: { viewId: id } }),
    // Not awaited: without its view the caller's form goes, and its own callback with it.
    onSuccess: () => void queryClient.invalidateQueries(viewsQuery(workspaceId)),
  });
}
