import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { chooseWorkspace } from '../session/chosen-workspace.ts';
import { usePlace } from '../session/Guard.tsx';
import { useKeptPreferences } from '../session/preferences.ts';
import { resumeChanges } from '../tickets/changes.ts';
import { later, preloadAll } from '../ui/later.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { Banner } from './Banner.tsx';
import { enterWorkspace, leaveWorkspace } from './enter.ts';
import { closeOverlay, useOverlay } from './overlay.ts';
import styles from './Shell.module.css';

const OverlayHost = later(async () => (await import('./overlays/OverlayHost.tsx')).OverlayHost, closeOverlay);

/** What is around every page of a workspace: live changes, pickers, and what was just done. */
export function Shell({ children }: { children: ReactNode }) {
  const { workspace, userId } = usePlace();
  const overlay = useOverlay();
  const [enteredId, setEnteredId] = useState<string>();
  useLayoutEffect(() => {
    enterWorkspace(workspace.id);
    chooseWorkspace(workspace.id);
    // Pages come after: what they show is on its way by then, and not asked for twice.
    setEnteredId(workspace.id);
    return leaveWorkspace;
  }, [workspace.id]);
  useKeptPreferences();
  useEffect(() => void resumeChanges(userId), [userId]);
  useEffect(() => {
    // Behind the first paint, so that the first picker opens as fast as the second.
    const timer = setTimeout(preloadAll, 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.shell}>
      <Banner />
      <div className={styles.page}>{enteredId === workspace.id && children}</div>
      <Toasts />
      {overlay !== undefined && <OverlayHost overlay={overlay} />}
    </div>
  );
}
