import type { App } from '../../app.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { getUser } from '../accounts/queries.ts';
import {
  judgeToken,
  type RefreshedSession,
  type RotateOptions,
  rotateToken,
  type Verdict,
} from '../accounts/refresh-session.ts';
import type { User } from '../accounts/schema.ts';
import { listWorkspaces } from '../workspaces/queries.ts';
import type { Workspace } from '../workspaces/schema.ts';
import type { Session } from './schema.ts';
import { findLastUsed, firstAmong, sessionAnswer } from './session-answer.ts';

/** Returns the next pair of tokens of a session. Throws 401 `auth.token_invalid` when the token is not valid. */
export async function refresh(app: App, refreshToken: string): Promise<Session> {
  const next = await app.db.tx((tx) => askForNext(tx, refreshToken, { isFoundGood: false }));
  const { session, user, lastUsed, workspaces } = next ?? (await refreshSpent(app, refreshToken));
  // The session's workspace or, when the user is no longer a member there, the workspace last used.
  const workspace = firstAmong(workspaces, [session.workspaceId, lastUsed?.workspaceId]);
  return sessionAnswer(app, { ...session, user, workspace, workspaces });
}

type Next = {
  session: RefreshedSession;
  user: User;
  lastUsed: Awaited<ReturnType<typeof findLastUsed>>;
  workspaces: Workspace[];
};

async function askForNext(tx: Tx, refreshToken: string, options: RotateOptions): Promise<Next | undefined> {
  const session = await rotateToken(tx, refreshToken, options);
  if (session === undefined) return undefined;
  const { userId } = session;
  const [user, lastUsed, workspaces] = await together([
    getUser(tx, userId),
    findLastUsed(tx, userId),
    listWorkspaces(tx, userId),
  ]);
  return { session, user, lastUsed, workspaces };
}

/** Handles a token that `rotateToken` refused. Only a client's retry gets another token. */
async function refreshSpent({ db, log }: App, refreshToken: string): Promise<Next> {
  const judged = await db.tx<Next | Verdict | undefined>(async (tx) => {
    const verdict = await judgeToken(tx, refreshToken);
    return verdict.kind === 'good' ? askForNext(tx, refreshToken, { isFoundGood: true }) : verdict;
  });
  if (judged !== undefined && 'session' in judged) return judged;
  // Throws after the commit, so that the end of a session with a reused token stays.
  if (judged?.kind === 'reused')
    log.warn({ sessionId: judged.sessionId }, 'ended a session: its spent refresh token was used again');
  throw new AppError('auth.token_invalid');
}
