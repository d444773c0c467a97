import { challengeSeconds, startChallenge } from '../accounts/challenge.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import type { User } from '../accounts/schema.ts';
import { hasSecondFactor } from '../accounts/second-factor.ts';
import { type Client, startSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, workspaceAt } from './session-answer.ts';

export type OpenSession = {
  user: User;
  /** The one asked for; undefined: the one last used. */
  workspaceId: WorkspaceId | undefined;
  client: Client;
};

/** The session, or the token that it is to be had for with a code of the second factor. */
export type Opening = { session: Session } | { challenge: string };

/**
 * Opens a session for someone whose password, or identity token, was right; where they have a second factor, asks for its
 * code first. Throws 403 `workspace.forbidden` for a workspace that is not theirs. Answer with `sessionOrChallenge`.
 */
export async function openSession(app: App, tx: Tx, { user, workspaceId, client }: OpenSession): Promise<Opening> {
  const userId = user.id;
  await holdAccount(tx, userId);
  const [standing, mustGiveCode] = await together([workspaceAt(tx, userId, workspaceId), hasSecondFactor(tx, userId)]);
  if (workspaceId !== undefined && standing.workspace === null) throw new AppError('workspace.forbidden');
  if (mustGiveCode) {
    return { challenge: await startChallenge(tx, { userId, workspaceId: workspaceId ?? null, inviteId: null }) };
  }
  const started = await startSession(tx, { userId, workspaceId: standing.workspace?.id ?? null, client });
  return { session: await sessionAnswer(app, { ...started, user, ...standing }) };
}

/** For behind the commit, in which the challenge is kept: throws 401 `auth.second_factor_required` with it. */
export function sessionOrChallenge(opening: Opening): Session {
  if ('session' in opening) return opening.session;
  throw new AppError('auth.second_factor_required', { challenge: opening.challenge, expiresIn: challengeSeconds });
}
