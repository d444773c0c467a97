import { clear, createStore, del, entries, get, set } from 'idb-keyval';

/** Data that this browser keeps for the next visit: first pages, and changes that wait for the network. */
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

/** All entries whose keys begin with a prefix. */
export async function keptUnder<Value>(prefix: string): Promise<[string, Value][]> {
  const all = await quietly(() => entries<string, Value>(store), []);
  return all.filter(([key]) => key.startsWith(prefix));
}

/** Deletes everything when a session ends, so that the next person at this computer finds nothing. */
export function wipeKept(): Promise<void> {
  return quietly(() => clear(store), undefined);
}

/**
 * Ignores failures: a private window may have no database, and a disk may be full. The page works without kept data.
 */
async function quietly<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}
