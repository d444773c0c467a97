/** Whether a chunk failed to load: a newer version of the service no longer has its file, or the network is down. */
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
