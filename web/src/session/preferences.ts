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

/** Updates this browser's copy from the service, at the start and after each `preferences` event of the stream. */
export function useKeptPreferences(): void {
  const { data } = useQuery(preferencesQuery);
  useEffect(() => {
    // While a choice is on its way, the service's answer is older than the copy.
    if (data !== undefined && underWay === 0) keepCopy(data);
  }, [data]);
}

let underWay = 0;
let last: Promise<unknown> = Promise.resolve();

/** Applies a choice at once and sends it to the service. A choice that cannot be saved is undone. */
export async function choosePreferences(chosen: Partial<Preferences>): Promise<void> {
  keepCopy(chosen);
  underWay += 1;
  // One request after the other, so that the last choice wins.
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
