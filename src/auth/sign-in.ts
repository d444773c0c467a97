import { provePassword } from '../accounts/prove-password.ts';
import { type Client, startSession } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, workspaceAt } from './session-answer.ts';

export type SignIn = { email: string; password: string; workspaceId: WorkspaceId | undefined; client: Client };

/**
 * Opens a session for an address and its password. 401 `auth.invalid_credentials`, 429, and to whom the password is right
 * 403 `auth.email_not_verified` or, for a workspace that is not theirs, `workspace.forbidden`.
 */
export async function signIn(app: App, { email, password, workspaceId, client }: SignIn): Promise<Session> {
  const account = await provePassword(app, { email, password, ip: client.ip });
  if (app.config.isEmailVerificationRequired && account.emailVerifiedAt === null) {
    throw new AppError('auth.email_not_verified');
  }
  const userId = account.id;
  return app.db.tx(async (tx) => {
    const standing = await workspaceAt(tx, userId, workspaceId);
    if (workspaceId !== undefined && standing.workspace === null) throw new AppError('workspace.forbidden');
    const started = await startSession(tx, { userId, workspaceId: standing.workspace?.id ?? null, client });
    return sessionAnswer(app, { ...started, user: account, ...standing });
  });
}
