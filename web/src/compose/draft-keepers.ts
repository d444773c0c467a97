import { dropAllBuffered } from './draft-buffer.ts';
import { DraftKeeper } from './draft-keeper.ts';
import type { DraftStore } from './draft-store.ts';

/** Keepers live on until all is saved, also when the next ticket is shown. */
const keepers = new Map<string, DraftKeeper>();

export function keeperOf(key: string, makeStore: () => DraftStore): DraftKeeper {
  const keeper = keepers.get(key) ?? new DraftKeeper(makeStore(), key);
  keepers.set(key, keeper);
  return keeper;
}

/** The draft is not shown any more. */
export function leaveKeeper(key: string, keeper: DraftKeeper): void {
  void keeper.flush().then(() => {
    if (keeper.isIdle && !keeper.isShown && keepers.get(key) === keeper) keepers.delete(key);
  });
}

/** Sends what is not saved yet. */
export async function flushDrafts(): Promise<void> {
  await Promise.all([...keepers.values()].map((keeper) => keeper.flush()));
}

/** For a person who signs out: the next one at this browser reads none of it. */
export function forgetDrafts(): void {
  for (const keeper of keepers.values()) keeper.close();
  keepers.clear();
  dropAllBuffered();
}
