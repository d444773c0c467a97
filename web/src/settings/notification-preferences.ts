import { queryOptions, useMutation } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';

const readPreferences = () => dataOf(api.GET('/v1/me/notification-preferences'));
export type Preferences = Awaited<ReturnType<typeof readPreferences>>;
type Change = Partial<Pick<Preferences, 'digest'>> & { types?: Partial<Preferences['types']> };

export const preferencesQuery = queryOptions({ queryKey: ['notification-preferences'], queryFn: readPreferences });

/** Saves a change. It shows at once, and is undone when the service refuses it. */
export function usePreferenceChange() {
  return useMutation({
    mutationFn: (body: Change) => dataOf(api.PATCH('/v1/me/notification-preferences', { body })),
    onMutate: ({ digest, types: changed }) => {
      const before = queryClient.getQueryData(preferencesQuery.queryKey);
      if (before !== undefined)
        queryClient.setQueryData(preferencesQuery.queryKey, {
          digest: digest ?? before.digest,
          types: { ...before.types, ...changed },
        });
      return { before };
    },
    onError: (_error, _change, context) => queryClient.setQueryData(preferencesQuery.queryKey, context?.before),
    onSuccess: (saved) => queryClient.setQueryData(preferencesQuery.queryKey, saved),
  });
}
