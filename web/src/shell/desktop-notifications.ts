import { leadOrFollow } from '../api/leader.ts';
import { type LiveEvent, onLive } from '../api/live.ts';
import { tellWorker } from '../api/service-worker.ts';
import { addressOf, gathers, type Notification } from '../notifications/queries.ts';

/**
 * Shows each new notification as one of the system. One tab of the browser does so for all. Which notifications come at
 * all is the person's choice in the settings.
 * @returns a function that stops it
 */
export function followDesktop(workspaceId: string): () => void {
  return leadOrFollow(`kontor.desktop ${workspaceId}`, () =>
    onLive((events) => {
      for (const event of events) void showEvent(workspaceId, event);
    }),
  );
}

async function showEvent(workspaceId: string, { name, data }: LiveEvent): Promise<void> {
  if (name === 'notification.read') await tellWorker({ kind: 'read', ...(data as { notificationId: string | null }) });
  if (name !== 'notification') return;
  const { notification } = data as { notification: Notification };
  const address = await addressOf(workspaceId, notification);
  const { id: notificationId, type, title, referenceId, count } = notification;
  const tag = count > 1 || gathers(type) ? notificationId : referenceId;
  await tellWorker({ kind: 'show', title, tag, address, notificationId, workspaceId });
}

type Asked = { kind?: string; address: string; workspaceId?: string };
type Here = { workspaceId: string; choose: (workspaceId: string) => void; navigate: (address: string) => void };

/** Opens the address of a notification that was clicked, and tells the worker which workspace the page shows. */
export function answerWorker({ workspaceId, choose, navigate }: Here): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const hear = ({ data, ports: [port] }: MessageEvent<Asked>) => {
    if (data.kind === 'workspace') port?.postMessage(workspaceId);
    if (data.kind !== 'open') return;
    if (data.workspaceId !== undefined && data.workspaceId !== workspaceId) choose(data.workspaceId);
    navigate(data.address);
  };
  navigator.serviceWorker.addEventListener('message', hear);
  return () => navigator.serviceWorker.removeEventListener('message', hear);
}
