import { useSyncExternalStore } from 'react';

const key = 'kontor.bulk';
const listeners = new Set<() => void>();

/** Shows the progress of a bulk change below the list of this tab; undefined takes it away. A reload keeps it. */
export function followBulk(workspaceId: string, id: string | undefined): void {
  if (id === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, `${workspaceId} ${id}`);
  for (const listener of listeners) listener();
}

/** The id of the bulk change that this tab follows. */
export function useFollowedBulk(workspaceId: string): string | undefined {
  const followed = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessionStorage.getItem(key),
  );
  const [of, id] = followed?.split(' ') ?? [];
  return of === workspaceId ? id : undefined;
}
