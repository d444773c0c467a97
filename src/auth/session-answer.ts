import { accessTokenSeconds } from '../accounts/access-token.ts';
import type { User } from '../accounts/schema.ts';
import type { StartedSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { type Queryable, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { findWorkspaceOf, listWorkspaces } from '../workspaces/queries.ts';
import type { Workspace } from '../workspaces/schema.ts';
import type { Session } from './schema.ts';

export type Whereabouts = { workspace: Workspace | null; workspaces: Workspace[] };

/**
 * Where a person may act, and where they do: in the workspace that is named, while they are a member of it; without a name
 * in the one last used, else the first.
 */
export async function whereaboutsOf(db: Queryable, userId: UserId, workspaceId?: WorkspaceId): Promise<Whereabouts> {
  if (workspaceId !== undefined) {
    // By a query of its own: the list is bounded.
    const [workspaces, workspace = null] = await together([
      listWorkspaces(db, userId),
      findWorkspaceOf(db, { userId, workspaceId }),
    ]);
    return { workspaces, workspace };
  }
  const [workspaces, lastUsed] = await together([listWorkspaces(db, userId), findLastUsed(db, userId)]);
  return { workspaces, workspace: firstAmong(workspaces, [lastUsed?.workspaceId]) };
}

/** The first that is named of somebody's workspaces; where none is, their first. */
export function firstAmong(workspaces: Workspace[], named: (WorkspaceId | null | undefined)[]): Workspace | null {
  for (const wanted of named) {
    const found = workspaces.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
  }
  return workspaces[0] ?? null;
}

function findLastUsed(db: Queryable, userId: UserId): Promise<{ workspaceId: WorkspaceId | null } | undefined> {
  return db.maybe(sql`select last_workspace_id as "workspaceId" from users where id = ${userId}`);
}

/** The body that signing in, refreshing and accepting an invitation answer. */
export function sessionAnswer(
  { tokens }: App,
  { sessionId, refreshToken, user, workspace, workspaces }: StartedSession & Whereabouts & { user: User },
): Session {
  const accessToken = tokens.sign({ userId: user.id, sessionId });
  return { accessToken, expiresIn: accessTokenSeconds, refreshToken, user, workspace, workspaces };
}
