import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { focusMain } from '../lib/asked-focus.ts';
import { chooseWorkspace } from '../session/chosen-workspace.ts';
import { usePlace } from '../session/Guard.tsx';
import { useKeptPreferences } from '../session/preferences.ts';
import { resumeChanges } from '../tickets/changes.ts';
import { later, soon } from '../ui/later.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { words } from '../words/words.ts';
import { Banner } from './Banner.tsx';
import { enterWorkspace, leaveWorkspace } from './enter.ts';
import { closeOverlay, useOverlay } from './overlay.ts';
import styles from './Shell.module.css';
import { TabBar } from './TabBar.tsx';

const AfterPaint = soon(() => import('./AfterPaint.tsx'), 'AfterPaint');
const OverlayHost = later(() => import('./overlays/OverlayHost.tsx'), 'OverlayHost', closeOverlay);

/** The frame of every page of a workspace: live changes, banner, pickers and toasts. */
export function Shell({ children }: { children: ReactNode }) {
  const { workspace, userId, isSure } = usePlace();
  const overlay = useOverlay();
  const [enteredId, setEnteredId] = useState<string>();
  useLayoutEffect(() => {
    enterWorkspace(workspace.id);
    chooseWorkspace(workspace.id);
    // Pages mount afterwards, when their data is on its way already, so that they do not request it again.
    setEnteredId(workspace.id);
    return leaveWorkspace;
  }, [workspace.id]);
  useKeptPreferences();
  useEffect(() => {
    // Without a network the changes are only shown.
    if (isSure || !navigator.onLine) void resumeChanges(userId);
  }, [isSure, userId]);
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={focusMain}>
        {words('skip')}
      </button>
      <Banner />
      <div className={styles.page}>{enteredId === workspace.id && children}</div>
      {/* Below the page: a banner that comes after the first paint would move rows from under the pointer. */}
      <AfterPaint />
      <TabBar />
      <Toasts />
      {overlay !== undefined && <OverlayHost overlay={overlay} />}
    </div>
  );
}
