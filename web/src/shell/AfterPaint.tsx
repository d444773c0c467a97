import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { renewPush } from '../api/push.ts';
import { followVersion, keepPageOffline } from '../api/service-worker.ts';
import { useDesktopState } from '../lib/desktop.ts';
import { usePlace } from '../session/Guard.tsx';
import { preloadAll } from '../ui/later.tsx';
import { answerWorker, followDesktop } from './desktop-notifications.ts';
import { MailBanner } from './MailBanner.tsx';
import { SetupBanner } from './SetupBanner.tsx';

/** A file that misses its place would open instead of the page. */
function keepPageOnDrop(): () => void {
  const prevent = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true && event.preventDefault();
  window.addEventListener('dragover', prevent);
  window.addEventListener('drop', prevent);
  return () => {
    window.removeEventListener('dragover', prevent);
    window.removeEventListener('drop', prevent);
  };
}

const restMs = 1_500;

/**
 * Loads the other chunks once the page rests, so that the first picker opens as fast as the second. Earlier they would
 * share a slow line with what the page shows. The service worker comes last: it finds them in the browser's cache.
 */
function fetchAtRest(): () => void {
  let isLeft = false;
  // After a sign-out the browser keeps nothing.
  const fetchAll = () => void preloadAll().then(() => (isLeft ? undefined : keepPageOffline()));
  const timer = setTimeout(fetchAll, restMs);
  window.addEventListener('online', fetchAll);
  return () => {
    isLeft = true;
    clearTimeout(timer);
    window.removeEventListener('online', fetchAll);
  };
}

/** The parts that a page of a workspace needs only after its first paint. */
export function AfterPaint() {
  const { workspace, choose } = usePlace();
  const [, navigate] = useLocation();
  const isOn = useDesktopState() === 'on';
  useEffect(fetchAtRest, []);
  useEffect(followVersion, []);
  useEffect(keepPageOnDrop, []);
  useEffect(() => (isOn ? followDesktop(workspace.id) : undefined), [isOn, workspace.id]);
  useEffect(() => answerWorker({ workspaceId: workspace.id, choose, navigate }));
  // The browser has the subscription anyway; the next visit tries again.
  useEffect(() => void renewPush().catch(() => undefined), []);
  return (
    <>
      <SetupBanner />
      <MailBanner />
    </>
  );
}
