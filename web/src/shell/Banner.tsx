import { useEffect, useState, useSyncExternalStore } from 'react';
import { liveState } from '../api/live.ts';
import { versionState } from '../api/version.ts';
import { useWaitingChanges } from '../tickets/changes.ts';
import { Button } from '../ui/Button.tsx';
import { missingState } from '../ui/missing.ts';
import { words } from '../words/words.ts';
import styles from './Banner.module.css';

/** A stream that is back by then was hardly away: nobody need hear of it. */
const quietMs = 4_000;

/**
 * Says that the service cannot be reached, or tells nothing of others' changes, for as long as that is so; else that there is a
 * newer one than this page came from, or that a part of the page is not to be had.
 */
export function Banner() {
  const trouble = useTrouble();
  const isUpdated = useSyncExternalStore(versionState.subscribe, versionState.isUpdated);
  const isMissing = useSyncExternalStore(missingState.subscribe, missingState.isMissing);
  const newPage = isUpdated ? words('banner.updated') : isMissing ? words('banner.missing') : undefined;
  return (
    <div role="status" className={(trouble ?? newPage) === undefined ? undefined : styles.banner}>
      {trouble ?? (newPage !== undefined && <NewPage why={newPage} />)}
    </div>
  );
}

/** What is being written is kept in this browser at each key, so that a new page has it. */
function NewPage({ why }: { why: string }) {
  return (
    <>
      {why} <Button onClick={() => window.location.reload()}>{words('banner.reload')}</Button>
    </>
  );
}

function useTrouble(): string | undefined {
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
