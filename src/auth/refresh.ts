import { getUser } from '../accounts/queries.ts';
import { type ClaimOutcome, claimSession, rotateToken } from '../accounts/refresh-session.ts';
import type { User } from '../accounts/schema.ts';
import type { StartedSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { type Queryable, together } from '../platform/db.ts';
import { lastTogether } from '../platform/last-sent.ts';
import { findWorkspaceOf, listWorkspaces } from '../workspaces/queries.ts';
import type { Workspace } from '../workspaces/schema.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, whereaboutsOf } from './session-answer.ts';

/** Answers the next pair of tokens of a session; 401 `auth.token_invalid` when there is none to be had. */
export async function refresh(app: App, refreshToken: string): Promise<Session> {
  const refreshed = await app.db.tx<Refreshed>(async (tx) => {
    const claim = await claimSession(tx, refreshToken);
    if (!claim.ok) return claim;
    const { sessionId, userId, workspaceId } = claim;
    return lastTogether([rotateToken(tx, claim), getUser(tx, userId), listWorkspaces(tx, userId)]).map(
      ([nextToken, user, workspaces]) => {
        return { ok: true, sessionId, refreshToken: nextToken, user, workspaceId, workspaces };
      },
    );
  });
  if (refreshed.ok) return sessionAnswer(app, { ...refreshed, workspace: await workspaceNow(app.db, refreshed) });
  // Thrown behind the commit: the end of a session whose token was reused stays.
  if (refreshed.reason === 'reused') {
    app.log.warn({ sessionId: refreshed.sessionId }, 'a spent refresh token came again: its session was ended');
  }
  throw new AppError('auth.token_invalid');
}

type Renewed = StartedSession & { user: User; workspaceId: WorkspaceId | null; workspaces: Workspace[] };
type Refreshed = Extract<ClaimOutcome, { ok: false }> | (Renewed & { ok: true });

/** The session's own workspace; the one last used where the person is no longer a member of that. */
async function workspaceNow(db: Queryable, { user, workspaceId, workspaces }: Renewed): Promise<Workspace | null> {
  const listed = workspaces.find(({ id }) => id === workspaceId);
  if (listed !== undefined) return listed;
  const [{ workspace }, own] = await together([
    whereaboutsOf(db, user.id),
    // The list is bounded.
    workspaceId === null ? undefined : findWorkspaceOf(db, { userId: user.id, workspaceId }),
  ]);
  return own ?? workspace;
}
