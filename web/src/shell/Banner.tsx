import { useEffect, useState, useSyncExternalStore } from 'react';
import { liveState } from '../api/live.ts';
import { useWaitingChanges } from '../tickets/changes.ts';
import { words } from '../words/words.ts';
import styles from './Banner.module.css';

/** A stream that is back by then was hardly away: nobody need hear of it. */
const quietMs = 4_000;

/** Says that the service cannot be reached, or tells nothing of others' changes, for as long as that is so. */
export function Banner() {
  const text = useBannerText();
  return (
    <div role="status" className={text === undefined ? undefined : styles.banner}>
      {text}
    </div>
  );
}

function useBannerText(): string | undefined {
  const { count, isOffline } = useWaitingChanges();
  const isBroken = useLasting(useSyncExternalStore(liveState.subscribe, liveState.isBroken));
  if (count > 0 && isOffline) return words(count === 1 ? 'banner.offlineOne' : 'banner.offlineMany', { count });
  if (!isBroken) return undefined;
  return words(navigator.onLine ? 'banner.broken' : 'banner.offline');
}

/** True once something has been true for a while. */
function useLasting(isNow: boolean): boolean {
  const [isLasting, setIsLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLasting(isNow), isNow ? quietMs : 0);
    return () => clearTimeout(timer);
  }, [isNow]);
  return isNow && isLasting;
}
