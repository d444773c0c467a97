import { randomId } from '../lib/random-id.ts';

/** Identifies this tab while its page lives. Other tabs do not touch the data that it keeps in the browser. */
export const tabId = randomId();
const lockName = (tab: string) => `kontor.tab ${tab}`;

void globalThis.navigator?.locks?.request(lockName(tabId), () => new Promise(() => {}));

/** @returns a function that tells whether a tab lives; undefined on pages that are not secure, which have no locks */
export async function livingTabs(): Promise<((tab: string) => boolean) | undefined> {
  const locks = await globalThis.navigator?.locks?.query();
  if (locks === undefined) return undefined;
  const living = new Set(locks.held?.map(({ name }) => name));
  return (tab) => living.has(lockName(tab));
}

/** Waits until the page of a tab has ended. */
export async function tabEnded(tab: string): Promise<void> {
  await navigator.locks?.request(lockName(tab), { mode: 'shared' }, () => {});
}
