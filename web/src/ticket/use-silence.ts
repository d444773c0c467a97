import { useEffect } from 'react';
import { silenceKeys } from '../commands.ts';

/** Turns commands off between the key that begins an answer and the composer: those keys are text. */
export function useSilenceUntil(isReady: boolean): void {
  useEffect(() => {
    if (isReady) return undefined;
    silenceKeys(true);
    return () => silenceKeys(false);
  }, [isReady]);
}
