import { getUser } from '../accounts/queries.ts';
import { type ClaimOutcome, claimSession, rotateToken } from '../accounts/refresh-session.ts';
import type { User } from '../accounts/schema.ts';
import type { StartedSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import { lastTogether } from '../platform/last-sent.ts';
import { listWorkspaces } from '../workspaces/queries.ts';
import type { Session } from './schema.ts';
import { firstAmong, sessionAnswer, type Whereabouts } from './session-answer.ts';

/** Answers the next pair of tokens of a session; 401 `auth.token_invalid` when there is none to be had. */
export async function refresh(app: App, refreshToken: string): Promise<Session> {
  const refreshed = await app.db.tx<Refreshed>(async (tx) => {
    const claim = await claimSession(tx, refreshToken);
    if (!claim.ok) return claim;
    const { sessionId, userId, workspaceId, lastWorkspaceId } = claim;
    return lastTogether([rotateToken(tx, claim), getUser(tx, userId), listWorkspaces(tx, userId)]).map(
      ([nextToken, user, workspaces]) => {
        // The session's own, or the one last used where the person is no longer a member of that.
        const workspace = firstAmong(workspaces, [workspaceId, lastWorkspaceId]);
        return { ok: true, sessionId, refreshToken: nextToken, user, workspace, workspaces };
      },
    );
  });
  if (refreshed.ok) return sessionAnswer(app, refreshed);
  // Thrown behind the commit: the end of a session whose token was reused stays.
  if (refreshed.reason === 'reused') {
    app.log.warn({ sessionId: refreshed.sessionId }, 'a spent refresh token came again: its session was ended');
  }
  throw new AppError('auth.token_invalid');
}

type Refreshed = Extract<ClaimOutcome, { ok: false }> | (Whereabouts & StartedSession & { ok: true; user: User });
