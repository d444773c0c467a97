import { queryOptions, useMutation, useMutationState, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';

const readPreferences = () => dataOf(api.GET('/v1/me/notification-preferences'));
export type Preferences = Awaited<ReturnType<typeof readPreferences>>;
type Types = Preferences['types'];
type Change = { digest?: Preferences['digest']; types?: { [Type in keyof Types]?: Partial<Types[Type]> } };
/** What a person chooses, given the preferences so far. Only fields that change, because other tabs change others. */
export type Choice = (before: Preferences) => Change;

const preferencesQuery = queryOptions({ queryKey: ['notification-preferences'], queryFn: readPreferences });

/** The notification preferences, and how to choose. A choice shows at once, until the service refuses it. */
export function useNotificationPreferences() {
  const { data, error, refetch } = useQuery(preferencesQuery);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const { mutate: choose } = useMutation({
    mutationKey: preferencesQuery.queryKey,
    // One request after the other, so that each choice builds on what the service answered to the one before.
    scope: { id: 'notification-preferences' },
    mutationFn: async (choice: Choice) => {
      // Another tab may have chosen since, also among the mailboxes of one list.
      const body = choice(await queryClient.fetchQuery({ ...preferencesQuery, staleTime: 0 }));
      return dataOf(api.PATCH('/v1/me/notification-preferences', { body }));
    },
    onMutate: () => setRefusal(null),
    onError: (refused) => setRefusal(refused),
    onSuccess: (saved) => queryClient.setQueryData(preferencesQuery.queryKey, saved),
  });
  const underWay = useMutationState({
    filters: { mutationKey: preferencesQuery.queryKey, status: 'pending' },
    // The cast holds: only the mutation above has this key.
    select: ({ state }) => state.variables as Choice,
  });
  const preferences = data && underWay.reduce((before, choice) => changed(before, choice(before)), data);
  return { preferences, error, refetch, choose, refusal };
}

function changed(before: Preferences, { digest = before.digest, types = {} }: Change): Preferences {
  const entries = Object.entries(before.types) as [keyof Types, object][];
  // The cast holds: each type keeps its shape.
  return { digest, types: Object.fromEntries(entries.map(([type, of]) => [type, { ...of, ...types[type] }])) as Types };
}
