import { randomId } from '../lib/random-id.ts';

/** This tab, for as long as its page lives: others leave alone what it keeps in the browser. */
export const tabId = randomId();
const lockName = (tab: string) => `kontor.tab ${tab}`;

void globalThis.navigator?.locks?.request(lockName(tabId), () => new Promise(() => {}));

/** @returns whether a tab lives; undefined where the browser does not tell, as on pages that are not secure */
export async function livingTabs(): Promise<((tab: string) => boolean) | undefined> {
  const locks = await navigator.locks?.query();
  if (locks === undefined) return undefined;
  const living = new Set(locks.held?.map(({ name }) => name));
  return (tab) => living.has(lockName(tab));
}
