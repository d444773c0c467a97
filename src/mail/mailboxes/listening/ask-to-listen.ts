import type { Live } from '../../../ground/database/live.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';

const event = 'mailbox.listen';

/**
 * Asks all processes to look at once for mailboxes of a workspace to which nobody listens. Call it after the commit. A
 * lost call costs some seconds: processes also look by themselves.
 */
export function askToListen(live: Pick<Live, 'signal'>, workspaceId: WorkspaceId): void {
  live.signal({ workspaceId, userId: null, event, data: {}, isInternal: true });
}

/** @returns a function that ends the subscription */
export function onAskedToListen(
  live: Pick<Live, 'followSignals'>,
  look: (workspaceId: WorkspaceId) => void,
): () => void {
  return live.followSignals((signal) => {
    if (signal.event === event) look(signal.workspaceId);
  });
}
