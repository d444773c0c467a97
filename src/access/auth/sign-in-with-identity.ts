import type { App } from '../../app.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Client } from '../accounts/start-session.ts';
import { auditAccount } from '../audit/audit.ts';
import { admitIdentity } from './admit-identity.ts';
import { openSession, sessionOrChallenge } from './open-session.ts';
import type { Session } from './schema.ts';
import { tellOfMember } from './tell-of-member.ts';

export type SignInWithIdentity = {
  /** The provider's place or its configured name. */
  provider: string;
  idToken: string;
  nonce: string | undefined;
  workspaceId: WorkspaceId | undefined;
  client: Client;
};

/**
 * Opens a session for the person in an identity provider's token. Throws 401 `auth.identity_token_invalid`, or 503
 * while the provider's keys are out of reach. With a valid token throws 409 `auth.identity_not_linked`, or 403
 * `auth.registration_closed`, `auth.email_not_verified` or `workspace.forbidden`.
 */
export async function signInWithIdentity(app: App, input: SignInWithIdentity): Promise<Session> {
  const { provider, workspaceId, client } = input;
  const identity = await app.identities.verify(provider, input);
  const { admission, opening } = await app.db.tx(async (tx) => {
    const admission = await admitIdentity(tx, app.config, identity);
    if (!admission.ok) {
      const { userId, key: reason } = admission;
      const data = { provider: identity.provider, reason };
      if (userId !== null) await auditAccount(tx, { type: 'identity.refused', userId, isByOwner: false, data });
      return { admission };
    }
    const { user } = admission;
    // Commits a new account even when its address is unverified: the mailed link needs the account.
    const mustVerify = app.config.isEmailVerificationRequired && user.emailVerifiedAt === null;
    return {
      admission,
      opening: mustVerify ? undefined : await openSession(app, tx, { userId: user.id, workspaceId, client }),
    };
  });
  const seen = { provider: identity.provider, userId: admission.ok ? admission.user.id : admission.userId };
  if (!admission.ok) {
    app.log.info({ ...seen, reason: admission.key }, 'refused a sign-in with an identity');
    throw new AppError(admission.key);
  }
  if (admission.how !== 'known')
    app.log.info(seen, `linked an identity to ${admission.how === 'linked' ? 'an existing' : 'a new'} account`);
  if (opening === undefined) throw new AppError('auth.email_not_verified');
  // A new account may have accepted invitations.
  if (admission.how === 'registered' && 'session' in opening)
    for (const { id } of opening.session.workspaces) tellOfMember(app, id, admission.user.id);
  return sessionOrChallenge(opening);
}
