import type { Middleware } from 'openapi-fetch';

/** Of the service that answered this page first: its files came with it. */
let ownVersion: string | null = null;
let isUpdated = false;
const listeners = new Set<() => void>();

/** Sees in each answer which version of the service gave it. */
export const watchVersion: Middleware = {
  onResponse({ response }) {
    const version = response.headers.get('x-kontor-version');
    // What stands between may answer for the service.
    if (version === null) return;
    ownVersion ??= version;
    if (isUpdated || version === ownVersion) return;
    isUpdated = true;
    for (const listener of listeners) listener();
  },
};

/** Whether another version of the service has answered since, for `useSyncExternalStore`. */
export const versionState = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isUpdated: () => isUpdated,
};
