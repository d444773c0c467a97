import type { App } from '../../app.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { challengeSeconds, startChallenge } from '../accounts/challenge.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { getUser } from '../accounts/queries.ts';
import { hasSecondFactor } from '../accounts/second-factor.ts';
import { type Client, startSession } from '../accounts/start-session.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, type Whereabouts, whereaboutsOf } from './session-answer.ts';

export type OpenSession = {
  userId: UserId;
  /** The requested workspace; undefined: the workspace last used. */
  workspaceId: WorkspaceId | undefined;
  client: Client;
};

/** A session, or the challenge to answer with a code of the second factor. */
export type Opening = { session: Session } | { challenge: string };

/**
 * Opens a session after the password or identity token was right. With a second factor returns a challenge instead.
 * Throws 403 `workspace.forbidden` for a workspace without membership. Pass the result to `sessionOrChallenge`.
 */
export async function openSession(app: App, tx: Tx, input: OpenSession): Promise<Opening> {
  const { userId, workspaceId } = input;
  const [, mustGiveCode] = await together([lockAccount(tx, userId), hasSecondFactor(tx, userId)]);
  if (!mustGiveCode) return { session: await beginSession(app, tx, input) };
  await whereaboutsAt(tx, userId, workspaceId);
  return { challenge: await startChallenge(tx, { userId, workspaceId: workspaceId ?? null, inviteId: null }) };
}

/** Opens a session for a user who has passed every factor. Throws 403 `workspace.forbidden` as `openSession` does. */
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

/** Throws 401 `auth.second_factor_required` with a challenge. Call it after the commit, which stores the challenge. */
export function sessionOrChallenge(opening: Opening): Session {
  if ('session' in opening) return opening.session;
  throw new AppError('auth.second_factor_required', { challenge: opening.challenge, expiresIn: challengeSeconds });
}
