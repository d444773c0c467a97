/** Whether a part of the page could not be loaded: its file went with an older version of the service, or the network is away. */
let isMissing = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (next === isMissing) return;
  isMissing = next;
  for (const listener of listeners) listener();
}

export const sayMissing = () => set(true);
export const sayLoaded = () => set(false);

/** For `useSyncExternalStore`. */
export const missingState = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isMissing: () => isMissing,
};
