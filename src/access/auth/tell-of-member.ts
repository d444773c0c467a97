import type { App } from '../../app.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { listWorkspaces } from '../workspaces/queries.ts';

/** Tells open lists of members to reload a member who joined or changed. */
export function tellOfMember({ live }: Pick<App, 'live'>, workspaceId: WorkspaceId, userId: UserId): void {
  live.signal({ workspaceId, userId: null, event: 'member', data: { userId } });
}

/** Does the same in every workspace of a user. */
export async function tellWorkspacesOfMember(app: Pick<App, 'db' | 'live'>, userId: UserId): Promise<void> {
  for (const { id } of await listWorkspaces(app.db, userId)) tellOfMember(app, id, userId);
}
