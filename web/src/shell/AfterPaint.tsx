import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useDesktopState } from '../lib/desktop.ts';
import { usePlace } from '../session/Guard.tsx';
import { followClicks, followDesktop } from './desktop-notifications.ts';
import { MailBanner } from './MailBanner.tsx';
import { SetupBanner } from './SetupBanner.tsx';
import { keepPageOffline } from './service-worker.ts';

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

/** The parts that a page of a workspace needs only after its first paint. */
export function AfterPaint() {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const isOn = useDesktopState() === 'on';
  useEffect(keepPageOffline, []);
  useEffect(keepPageOnDrop, []);
  useEffect(() => (isOn ? followDesktop(workspace.id) : undefined), [isOn, workspace.id]);
  useEffect(() => (isOn ? followClicks(navigate) : undefined), [isOn, navigate]);
  return (
    <>
      <SetupBanner />
      <MailBanner />
    </>
  );
}
