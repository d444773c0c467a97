import { queryClient } from '../api/cache.ts';
import { wipeKept } from '../api/kept.ts';
import { forgetDrafts } from '../compose/draft-keepers.ts';
import { forgetSearches } from '../lib/recent-searches.ts';
import { forgetChanges } from '../tickets/changes.ts';

/** Forgets all that this page and this browser know of a person who has signed out. */
export async function forgetPerson(): Promise<void> {
  forgetDrafts();
  forgetSearches();
  forgetChanges();
  queryClient.clear();
  await wipeKept();
}
