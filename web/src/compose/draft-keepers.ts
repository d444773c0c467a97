import { dropAllBuffered } from './draft-buffer.ts';
import { DraftKeeper } from './draft-keeper.ts';
import type { DraftStore } from './draft-store.ts';
import type { Draft } from './queries.ts';

const readAgainMs = 30_000;

/** Keepers live on until all is saved, also when the next ticket is shown. */
const keepers = new Map<string, DraftKeeper>();

export function keeperOf(key: string, makeStore: () => DraftStore): DraftKeeper {
  if (keepers.size === 0) followPage();
  const keeper = keepers.get(key) ?? new DraftKeeper(makeStore(), key);
  keepers.set(key, keeper);
  return keeper;
}

/**
 * The draft is not shown any more.
 * @param read what the service has of it; a draft may be left before that has come
 */
export async function leaveKeeper(key: string, keeper: DraftKeeper, read: () => Promise<Draft | null>): Promise<void> {
  if (keeper.isAhead) await read().then(keeper.load, () => undefined);
  // The network, or what lies behind it, was away.
  if (keeper.isAhead && !keeper.isShown && keepers.get(key) === keeper)
    setTimeout(() => void leaveKeeper(key, keeper, read), readAgainMs);
  await keeper.flush();
  if (keeper.isIdle && !keeper.isShown && keepers.get(key) === keeper) keepers.delete(key);
}

/** Sends what is not saved yet, of drafts on other tickets than the one that is shown, too. */
export async function flushDrafts(keepalive = false): Promise<void> {
  await Promise.all([...keepers.values()].map((keeper) => keeper.flush(keepalive)));
}

const onHide = () => void flushDrafts(true);
const onOnline = () => void flushDrafts();
const onVisibility = () => document.visibilityState === 'hidden' && onHide();

/** A page that goes sends what it has, and so does one whose network is back. The same listeners are added once. */
function followPage(): void {
  window.addEventListener('pagehide', onHide);
  window.addEventListener('online', onOnline);
  document.addEventListener('visibilitychange', onVisibility);
}

/** For a person who signs out: the next one at this browser reads none of it. */
export function forgetDrafts(): void {
  for (const keeper of keepers.values()) keeper.close();
  keepers.clear();
  dropAllBuffered();
}
