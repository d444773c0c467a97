import { challengeSeconds, startChallenge } from '../accounts/challenge.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import { getUser } from '../accounts/queries.ts';
import { hasSecondFactor } from '../accounts/second-factor.ts';
import { type Client, startSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { type Tx, together } from '../database/db.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, type Whereabouts, whereaboutsOf } from './session-answer.ts';

export type OpenSession = {
  userId: UserId;
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
export async function openSession(app: App, tx: Tx, input: OpenSession): Promise<Opening> {
  const { userId, workspaceId } = input;
  const [, mustGiveCode] = await together([holdAccount(tx, userId), hasSecondFactor(tx, userId)]);
  if (!mustGiveCode) return { session: await beginSession(app, tx, input) };
  await whereaboutsAt(tx, userId, workspaceId);
  return { challenge: await startChallenge(tx, { userId, workspaceId: workspaceId ?? null, inviteId: null }) };
}

/** Begins the session itself, for someone who has shown all that is asked for. Throws 403 `workspace.forbidden` likewise. */
export async function beginSession(
  app: App,
  tx: Tx,
  { userId, workspaceId, client, withCode = false }: OpenSession & { withCode?: boolean },
): Promise<Session> {
  const [user, whereabouts] = await together([getUser(tx, userId), whereaboutsAt(tx, userId, workspaceId)]);
  const started = await startSession(tx, { userId, workspaceId: whereabouts.workspace?.id ?? null, client, withCode });
  return sessionAnswer(app, { ...started, user, ...whereabouts });
}

async function whereaboutsAt(tx: Tx, userId: UserId, workspaceId: WorkspaceId | undefined): Promise<Whereabouts> {
  const whereabouts = await whereaboutsOf(tx, userId, workspaceId);
  if (workspaceId !== undefined && whereabouts.workspace === null) throw new AppError('workspace.forbidden');
  return whereabouts;
}

/** For behind the commit, in which the challenge is kept: throws 401 `auth.second_factor_required` with it. */
export function sessionOrChallenge(opening: Opening): Session {
  if ('session' in opening) return opening.session;
  throw new AppError('auth.second_factor_required', { challenge: opening.challenge, expiresIn: challengeSeconds });
}
