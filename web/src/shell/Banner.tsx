import { useEffect, useState, useSyncExternalStore } from 'react';
import { liveState } from '../api/live.ts';
import { versionState } from '../api/version.ts';
import { useWaitingChanges } from '../tickets/changes.ts';
import { Button } from '../ui/Button.tsx';
import { missingState } from '../ui/missing.ts';
import { words } from '../words/words.ts';
import { BannerLine } from './BannerLine.tsx';

/** Shorter interruptions of the stream are not shown. */
const quietMs = 4_000;

/**
 * Says while the service cannot be reached or the live stream is broken. Otherwise says that the service has a newer
 * version than this page, or that a part of the page could not be loaded.
 */
export function Banner() {
  const trouble = useTrouble();
  const isUpdated = useSyncExternalStore(versionState.subscribe, versionState.isUpdated);
  const isMissing = useSyncExternalStore(missingState.subscribe, missingState.isMissing);
  const newPage = isUpdated ? words('banner.updated') : isMissing ? words('banner.missing') : undefined;
  return (
    <div role="status">
      {trouble !== undefined && <BannerLine kind="warn">{trouble}</BannerLine>}
      {trouble === undefined && newPage !== undefined && <NewPage why={newPage} />}
    </div>
  );
}

/** Reloading loses no text: the browser keeps drafts at each key press. */
function NewPage({ why }: { why: string }) {
  return (
    <BannerLine kind="info">
      {why} <Button onClick={() => window.location.reload()}>{words('banner.reload')}</Button>
    </BannerLine>
  );
}

function useTrouble(): string | undefined {
  const { count, isOffline } = useWaitingChanges();
  const isBroken = useLasting(useSyncExternalStore(liveState.subscribe, liveState.isBroken));
  if (count > 0 && isOffline) return words('banner.offlineChanges', { count });
  if (!isBroken) return undefined;
  return words(navigator.onLine ? 'banner.broken' : 'banner.offline');
}

/** Whether `isNow` has been true for `quietMs`. */
function useLasting(isNow: boolean): boolean {
  const [isLasting, setIsLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLasting(isNow), isNow ? quietMs : 0);
    return () => clearTimeout(timer);
  }, [isNow]);
  return isNow && isLasting;
}
