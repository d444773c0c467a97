import { type ReactNode, useEffect } from 'react';
import { followLive, onLive } from '../api/live.ts';
import { usePlace } from '../session/Guard.tsx';
import { useKeptPreferences } from '../session/preferences.ts';
import { resumeChanges } from '../tickets/changes.ts';
import { applyEvents } from '../tickets/live-changes.ts';
import { later, preloadAll } from '../ui/later.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { Banner } from './Banner.tsx';
import { useOverlay } from './overlay.ts';
import styles from './Shell.module.css';

const OverlayHost = later(async () => (await import('./overlays/OverlayHost.tsx')).OverlayHost);

/** What is around every page of a workspace: live changes, pickers, and what was just done. */
export function Shell({ children }: { children: ReactNode }) {
  const { workspace, userId } = usePlace();
  const overlay = useOverlay();
  useKeptPreferences();
  useEffect(() => onLive((events) => applyEvents(workspace.id, events)), [workspace.id]);
  useEffect(() => void resumeChanges(userId), [userId]);
  useEffect(() => followLive(workspace.id), [workspace.id]);
  useEffect(() => {
    // Behind the first paint, so that the first picker opens as fast as the second.
    const timer = setTimeout(preloadAll, 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.shell}>
      <Banner />
      <div className={styles.page}>{children}</div>
      <Toasts />
      {overlay !== undefined && <OverlayHost overlay={overlay} />}
    </div>
  );
}
