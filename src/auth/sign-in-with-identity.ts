import type { Client } from '../accounts/start-session.ts';
import type { App } from '../app.ts';
import { auditAccount } from '../audit/audit.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { admitIdentity } from './admit-identity.ts';
import { openSession, sessionOrChallenge } from './open-session.ts';
import type { Session } from './schema.ts';
import { tellOfMember } from './tell-of-member.ts';

export type SignInWithIdentity = {
  /** By its place or its configured name. */
  provider: string;
  idToken: string;
  nonce: string | undefined;
  workspaceId: WorkspaceId | undefined;
  client: Client;
};

/**
 * Opens a session for whom an identity provider's token names. 401 `auth.identity_token_invalid`; where the token is good 409
 * `auth.identity_not_linked`, 403 `auth.registration_closed`, `auth.email_not_verified` and `workspace.forbidden`; 503 while the
 * provider's keys are out of reach.
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
    // An account that was made now stays, with the link that was mailed: it waits for the address to be shown.
    const mustVerify = app.config.isEmailVerificationRequired && user.emailVerifiedAt === null;
    return {
      admission,
      opening: mustVerify ? undefined : await openSession(app, tx, { userId: user.id, workspaceId, client }),
    };
  });
  const seen = { provider: identity.provider, userId: admission.ok ? admission.user.id : admission.userId };
  if (!admission.ok) {
    app.log.info({ ...seen, reason: admission.key }, 'a sign-in with an identity was refused');
    throw new AppError(admission.key);
  }
  if (admission.how !== 'known')
    app.log.info(
      seen,
      `an identity was linked to an account that was ${admission.how === 'linked' ? 'there' : 'made for it'}`,
    );
  if (opening === undefined) throw new AppError('auth.email_not_verified');
  // An account that was made now may have come by an invitation.
  if (admission.how === 'registered' && 'session' in opening)
    for (const { id } of opening.session.workspaces) tellOfMember(app, id, admission.user.id);
  return sessionOrChallenge(opening);
}
