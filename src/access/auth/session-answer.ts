import type { App } from '../../app.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { accessTokenSeconds } from '../accounts/access-token.ts';
import type { User } from '../accounts/schema.ts';
import type { StartedSession } from '../accounts/start-session.ts';
import { findWorkspaceOf, listWorkspaces } from '../workspaces/queries.ts';
import type { Workspace } from '../workspaces/schema.ts';
import type { Session } from './schema.ts';

export type Whereabouts = { workspace: Workspace | null; workspaces: Workspace[] };

/**
 * Lists a user's workspaces and picks the current workspace: the requested workspace if the user is a member. Without a
 * request picks the workspace last used, or else the first.
 */
export async function whereaboutsOf(db: Queryable, userId: UserId, workspaceId?: WorkspaceId): Promise<Whereabouts> {
  if (workspaceId !== undefined) {
    // Asks separately, because the list has a limit.
    const [workspaces, workspace = null] = await together([
      listWorkspaces(db, userId),
      findWorkspaceOf(db, { userId, workspaceId }),
    ]);
    return { workspaces, workspace };
  }
  const [workspaces, lastUsed] = await together([listWorkspaces(db, userId), findLastUsed(db, userId)]);
  return { workspaces, workspace: firstAmong(workspaces, [lastUsed?.workspaceId]) };
}

/** Picks the first wanted workspace that is in the list, or else the first of the list. */
export function firstAmong(workspaces: Workspace[], named: (WorkspaceId | null | undefined)[]): Workspace | null {
  for (const wanted of named) {
    const found = workspaces.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
  }
  return workspaces[0] ?? null;
}

/** The workspace that the user used last, in any session. */
export function findLastUsed(db: Queryable, userId: UserId): Promise<{ workspaceId: WorkspaceId | null } | undefined> {
  return db.maybe(sql`select last_workspace_id as "workspaceId" from users where id = ${userId}`);
}

/** The response body for sign-in, refresh and accepted invitations. */
export function sessionAnswer(
  { tokens }: App,
  { sessionId, refreshToken, user, workspace, workspaces }: StartedSession & Whereabouts & { user: User },
): Session {
  const accessToken = tokens.sign({ userId: user.id, sessionId });
  return { accessToken, expiresIn: accessTokenSeconds, refreshToken, user, workspace, workspaces };
}
