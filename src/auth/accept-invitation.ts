import { createUser } from '../accounts/create-user.ts';
import { findInvitationToken } from '../accounts/link-token.ts';
import { provePassword } from '../accounts/prove-password.ts';
import { findAccount, getUser } from '../accounts/queries.ts';
import { type Client, startSession } from '../accounts/start-session.ts';
import { markEmailVerified } from '../accounts/verify-email.ts';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { type Tx, together } from '../platform/db.ts';
import { acceptInvite } from '../workspaces/accept-invite.ts';
import { findPendingInvite, type PendingInvite } from '../workspaces/queries.ts';
import type { Session } from './schema.ts';
import { sessionAnswer, workspaceAt } from './session-answer.ts';

export type AcceptInvitation = { token: string; email: string; password: string; name?: string; client: Client };

/**
 * Makes the holder of an invitation's link a member and signs them in. A new account is made, verified by the link itself;
 * an existing one must give its own password. Nothing is spent unless all of it succeeds.
 */
export async function acceptInvitation(app: App, input: AcceptInvitation): Promise<Session> {
  const { email, password, name = null, client } = input;
  const invite = await getInvite(app, input.token);
  if (caseKey(email) !== invite.emailKey) throw new AppError('invite.address_mismatch');
  const account = await findAccount(app.db, email);
  if (account !== undefined) await provePassword(app, { email, password, ip: client.ip });
  const passwordHash = account === undefined ? await app.passwords.hash(password) : null;
  return app.db.tx(async (tx) => {
    const userId = account?.id ?? (await makeAccount(tx, { email: invite.email, name, passwordHash }));
    const { workspaceId, id: inviteId } = invite;
    await acceptInvite(tx, { workspaceId, inviteId, userId });
    await markEmailVerified(tx, userId);
    const started = await startSession(tx, { userId, workspaceId, client });
    const [user, standing] = await together([getUser(tx, userId), workspaceAt(tx, userId, workspaceId)]);
    return sessionAnswer(app, { ...started, user, ...standing });
  });
}

async function getInvite({ db, clock }: App, token: string): Promise<PendingInvite> {
  const now = clock.now();
  const reference = await findInvitationToken(db, token, now);
  const invite = reference && (await findPendingInvite(db, { ...reference, now }));
  if (invite === undefined) throw new AppError('auth.link_expired');
  return invite;
}

async function makeAccount(
  tx: Tx,
  { email, name, passwordHash }: { email: string; name: string | null; passwordHash: string | null },
): Promise<UserId> {
  const userId =
    passwordHash === null ? undefined : await createUser(tx, { email, name, passwordHash, isVerified: true });
  // Someone registered the address since it was looked up: now it is an existing account, whose password was not given.
  if (userId === undefined) throw new AppError('auth.invalid_credentials');
  return userId;
}
