import { atSignOut } from '../../lib/at-sign-out.ts';
import type { Draft } from '../queries.ts';
import { DraftKeeper } from './draft-keeper.ts';
import type { DraftStore } from './lost-saves.ts';

const readAgainMs = 30_000;

/** Where a draft is kept: in this browser under its key, and at the service, where `read` fetches it. */
export type DraftHome = { key: string; makeStore: () => DraftStore; read: () => Promise<Draft | null> };

/** A keeper lives until its draft is saved, also while another ticket is shown. */
const keepers = new Map<string, DraftKeeper>();

export function keeperOf({ key, makeStore }: DraftHome): DraftKeeper {
  if (keepers.size === 0) followPage();
  const keeper = keepers.get(key) ?? new DraftKeeper(makeStore(), key);
  keepers.set(key, keeper);
  return keeper;
}

/** Runs when a draft is no longer shown: saves it, and then drops its keeper. */
export async function leaveKeeper(home: DraftHome, keeper: DraftKeeper): Promise<void> {
  const { key, read } = home;
  // The person may have left before the service's first answer.
  if (keeper.isAhead) await read().then(keeper.load, () => undefined);
  // The service did not answer, so this tries again later.
  if (keeper.isAhead && !keeper.isShown && keepers.get(key) === keeper)
    setTimeout(() => void leaveKeeper(home, keeper), readAgainMs);
  await keeper.flush();
  if (keeper.isIdle && !keeper.isShown && keepers.get(key) === keeper) keepers.delete(key);
}

/** Saves all unsaved drafts, also those of tickets that are not shown. */
async function flushDrafts(keepalive = false): Promise<void> {
  await Promise.all([...keepers.values()].map((keeper) => keeper.flush(keepalive)));
}

const onHide = () => void flushDrafts(true);
const onOnline = () => void flushDrafts();
const onVisibility = () => document.visibilityState === 'hidden' && onHide();

/** Saves drafts when the page closes or hides, or is online again. Adding the same listeners again has no effect. */
function followPage(): void {
  window.addEventListener('pagehide', onHide);
  window.addEventListener('online', onOnline);
  document.addEventListener('visibilitychange', onVisibility);
}

/** Forgets the drafts of this page, so that none is saved for the next person. */
function closeDrafts(): void {
  for (const keeper of keepers.values()) keeper.close();
  keepers.clear();
}

atSignOut({ save: flushDrafts, forget: closeDrafts });
