import { useSyncExternalStore } from 'react';

/** Below this width the ticket covers the list. The stylesheets have the same width. */
const narrow = () => window.matchMedia('(max-width: 959px)');

export const isOnePane = () => narrow().matches;

export function useOnePane(): boolean {
  return useSyncExternalStore((listener) => {
    const query = narrow();
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  }, isOnePane);
}
