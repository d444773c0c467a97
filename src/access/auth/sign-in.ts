import type { App } from '../../app.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { lockProvenAccount } from '../accounts/lock-account.ts';
import { provePassword } from '../accounts/prove-password.ts';
import type { Client } from '../accounts/start-session.ts';
import { openSession, sessionOrChallenge } from './open-session.ts';
import type { Session } from './schema.ts';

export type SignIn = { email: string; password: string; workspaceId: WorkspaceId | undefined; client: Client };

/**
 * Opens a session for an address and its password. Throws 401 `auth.invalid_credentials`, or 429 after too many wrong
 * passwords. After the right password throws 403 `auth.email_not_verified`, 403 `workspace.forbidden` for a workspace
 * without membership, or 401 `auth.second_factor_required` with a challenge.
 */
export async function signIn(app: App, { email, password, workspaceId, client }: SignIn): Promise<Session> {
  const account = await provePassword(app, { email, password, ip: client.ip });
  if (app.config.isEmailVerificationRequired && account.emailVerifiedAt === null) {
    throw new AppError('auth.email_not_verified');
  }
  const opening = await app.db.tx(async (tx) => {
    await lockProvenAccount(tx, account);
    return openSession(app, tx, { userId: account.id, workspaceId, client });
  });
  return sessionOrChallenge(opening);
}
