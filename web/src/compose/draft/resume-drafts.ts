import { queryClient } from '../../api/cache.ts';
import { livingTabs } from '../../api/tab.ts';
import { draftsQuery } from '../queries.ts';
import { allBuffered } from './draft-buffer.ts';
import { keeperOf, leaveKeeper } from './draft-keepers.ts';
import { placeOfKey, ticketHome } from './draft-store.ts';

const resumed = new Set<string>();

/**
 * Saves the drafts that dead tabs of this browser left behind; no other machine has them. A draft that was also changed
 * elsewhere waits until its ticket is opened, where its writer chooses. Runs once for each page.
 */
export async function resumeDrafts(workspaceId: string, userId: string): Promise<void> {
  if (resumed.has(workspaceId)) return;
  resumed.add(workspaceId);
  const isLiving = await livingTabs();
  if (isLiving === undefined) return;
  for (const { key, tab } of allBuffered()) {
    const left = placeOfKey(key);
    if (left?.userId !== userId || left.place.workspaceId !== workspaceId) continue;
    if (isLiving(tab)) continue;
    const { place } = left;
    // Without a network the draft waits for the next page load.
    const drafts = await queryClient.fetchQuery(draftsQuery(workspaceId, place.ticketId)).catch(() => undefined);
    if (drafts === undefined) continue;
    const home = ticketHome(userId, place);
    const keeper = keeperOf(home);
    const draft = drafts.find(({ kind }) => kind === place.kind) ?? null;
    keeper.load(draft);
    await leaveKeeper({ ...home, read: async () => draft }, keeper);
  }
}
