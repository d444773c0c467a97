import type { Middleware } from 'openapi-fetch';

/** The version of the service in its first answer: the files of this page are of the same version. */
let ownVersion: string | null = null;
let isUpdated = false;
const listeners = new Set<() => void>();

/** Reads the service's version from each answer. */
export const watchVersion: Middleware = {
  onResponse({ response }) {
    const version = response.headers.get('x-kontor-version');
    // A proxy may have answered in place of the service.
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
