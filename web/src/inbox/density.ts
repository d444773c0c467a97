import { useSyncExternalStore } from 'react';

export type Density = 'comfortable' | 'compact';

const key = 'kontor.density';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const read = (): Density => (localStorage.getItem(key) === 'compact' ? 'compact' : 'comfortable');

/** How much of each ticket a list shows; kept in this browser. */
export function useDensity(): [Density, (density: Density) => void] {
  const density = useSyncExternalStore(subscribe, read);
  const choose = (chosen: Density) => {
    localStorage.setItem(key, chosen);
    for (const listener of listeners) listener();
  };
  return [density, choose];
}
