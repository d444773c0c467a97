import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { keepCopy, type Preferences } from '../lib/preferences.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: () => dataOf(api.GET('/v1/me/preferences')),
});

/** Brings this browser's copy up to date with the service, at the start and whenever the stream tells of a change. */
export function useKeptPreferences(): void {
  const { data } = useQuery(preferencesQuery);
  useEffect(() => {
    // What was chosen since is on its way to the service.
    if (data !== undefined && underWay === 0) keepCopy(data);
  }, [data]);
}

let underWay = 0;
let last: Promise<unknown> = Promise.resolve();

/** Shows what a person has chosen at once, and gives it to the service; what that refuses is as it was again. */
export async function choosePreferences(chosen: Partial<Preferences>): Promise<void> {
  keepCopy(chosen);
  underWay += 1;
  // One behind the other: the choice that was made last holds.
  const saving = last.then(() => dataOf(api.PATCH('/v1/me/preferences', { body: chosen })));
  last = saving.catch(() => undefined);
  try {
    const saved = await saving;
    underWay -= 1;
    queryClient.setQueryData(preferencesQuery.queryKey, saved);
  } catch {
    underWay -= 1;
    const before = queryClient.getQueryData(preferencesQuery.queryKey);
    if (before !== undefined) keepCopy(before);
    showToast(words('preferences.notSaved'), { isBad: true });
  }
}
