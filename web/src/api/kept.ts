import { clear, createStore, del, entries, get, set } from 'idb-keyval';

/** What this browser keeps for the next visit: first pages, and changes that wait for the network. */
const store = createStore('kontor', 'kept');

export function readKept<Value>(key: string): Promise<Value | undefined> {
  return quietly(() => get<Value>(key, store), undefined);
}

export function keep(key: string, value: unknown): Promise<void> {
  return quietly(() => set(key, value, store), undefined);
}

export function dropKept(key: string): Promise<void> {
  return quietly(() => del(key, store), undefined);
}

/** All that is kept under keys with this beginning. */
export async function keptUnder<Value>(prefix: string): Promise<[string, Value][]> {
  const all = await quietly(() => entries<string, Value>(store), []);
  return all.filter(([key]) => key.startsWith(prefix));
}

/** For a person who signs out, or whose session has ended: the next one at this computer finds nothing. */
export function wipeKept(): Promise<void> {
  return quietly(() => clear(store), undefined);
}

/** Some private windows have no database, and a full disk takes nothing: then nothing is kept, and all goes on. */
async function quietly<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}
