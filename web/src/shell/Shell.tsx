import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useLive } from '../api/live.ts';
import { usePlace } from '../session/Guard.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import { Banner } from './Banner.tsx';
import { useOverlay } from './overlay.ts';

const loadOverlays = () => import('./overlays/OverlayHost.tsx');
const OverlayHost = lazy(async () => ({ default: (await loadOverlays()).OverlayHost }));

/** What is around every page of a workspace: live changes, pickers, and what was just done. */
export function Shell({ children }: { children: ReactNode }) {
  const { workspace } = usePlace();
  const overlay = useOverlay();
  useLive(workspace.id);
  useEffect(() => {
    // Behind the first paint, so that the first picker opens as fast as the second.
    const timer = setTimeout(() => void loadOverlays(), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <Banner />
      {children}
      <Toasts />
      {overlay !== undefined && (
        <Suspense>
          <OverlayHost overlay={overlay} />
        </Suspense>
      )}
    </>
  );
}
