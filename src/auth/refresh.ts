import {
  judgeToken,
  ownerOf,
  type RefreshedSession,
  type RotateOptions,
  rotateToken,
  type Verdict,
} from '../accounts/refresh-session.ts';
import type { App } from '../app.ts';
import type { Tx } from '../database/db.ts';
import { type LastSent, lastTogether } from '../database/last-sent.ts';
import { AppError } from '../lib/errors.ts';
import { listWorkspaces } from '../workspaces/queries.ts';
import type { Workspace } from '../workspaces/schema.ts';
import type { Session } from './schema.ts';
import { firstAmong, sessionAnswer } from './session-answer.ts';

/** Answers the next pair of tokens of a session; 401 `auth.token_invalid` when there is none to be had. */
export async function refresh(app: App, refreshToken: string): Promise<Session> {
  const next = await app.db.tx(async (tx) => askForNext(tx, refreshToken, { isFoundGood: false }));
  const { session, workspaces } = next ?? (await refreshSpent(app, refreshToken));
  // The session's own, or the one last used where the person is no longer a member of that.
  const workspace = firstAmong(workspaces, [session.workspaceId, session.lastWorkspaceId]);
  return sessionAnswer(app, { ...session, workspace, workspaces });
}

type Next = { session: RefreshedSession; workspaces: Workspace[] };

/** In one round trip, as most tokens are good. */
function askForNext(tx: Tx, refreshToken: string, options: RotateOptions): LastSent<Next | undefined> {
  return lastTogether([rotateToken(tx, refreshToken, options), listWorkspaces(tx, ownerOf(refreshToken))]).map(
    ([session, workspaces]) => (session === undefined ? undefined : { session, workspaces }),
  );
}

/** For a token that was not to be spent, unless it is a client's that asks again. */
async function refreshSpent({ db, log }: App, refreshToken: string): Promise<Next> {
  const judged = await db.tx<Next | Verdict | undefined>(async (tx) => {
    const verdict = await judgeToken(tx, refreshToken);
    return verdict.kind === 'good' ? askForNext(tx, refreshToken, { isFoundGood: true }) : verdict;
  });
  if (judged !== undefined && 'session' in judged) return judged;
  // Thrown behind the commit: the end of a session whose token was reused stays.
  if (judged?.kind === 'reused')
    log.warn({ sessionId: judged.sessionId }, 'a spent refresh token came again: its session was ended');
  throw new AppError('auth.token_invalid');
}
