import type { App } from '../../../app.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { startChallenge } from '../../accounts/challenge.ts';
import { createUser } from '../../accounts/create-user.ts';
import { findInvitationToken } from '../../accounts/link-token.ts';
import { lockProvenAccount } from '../../accounts/lock-account.ts';
import { provePassword } from '../../accounts/prove-password.ts';
import { findAccount, getUser } from '../../accounts/queries.ts';
import { hasSecondFactor } from '../../accounts/second-factor.ts';
import type { Client } from '../../accounts/start-session.ts';
import { markEmailVerified } from '../../accounts/verify-email.ts';
import { acceptInvite } from '../../workspaces/accept-invite.ts';
import { findPendingInvite, type PendingInvite } from '../../workspaces/queries.ts';
import { beginSession, type Opening, sessionOrChallenge } from '../open-session.ts';
import type { Session } from '../schema.ts';
import { tellOfMember } from '../tell-of-member.ts';

export type AcceptInvitation = { token: string; email: string; password: string; name?: string; client: Client };

/**
 * Makes the holder of an invitation's link a member and signs them in. Creates an account if needed. An existing
 * account must give its own password. A mailed link verifies the address, a link that the inviter handed over does not.
 * With a second factor, the answer is a 401 with a challenge, and the code that follows accepts the invitation.
 */
export async function acceptInvitation(app: App, input: AcceptInvitation): Promise<Session> {
  const { email, password, name = null, client } = input;
  const invite = await getInvite(app, input.token);
  if (caseKey(email) !== invite.emailKey) throw new AppError('invite.address_mismatch');
  const isKnown = (await findAccount(app.db, email)) !== undefined;
  const account = isKnown ? await provePassword(app, { email, password, ip: client.ip }) : undefined;
  const passwordHash = account === undefined ? await hashNew(app, input) : null;
  const opening = await app.db.tx(async (tx): Promise<Opening> => {
    if (account !== undefined) await lockProvenAccount(tx, account);
    const userId = account?.id ?? (await makeAccount(tx, invite, { name, passwordHash }));
    if (invite.provesAddress) await markEmailVerified(tx, userId);
    const { workspaceId, id: inviteId } = invite;
    if (account !== undefined && (await hasSecondFactor(tx, userId)))
      return { challenge: await startChallenge(tx, { userId, workspaceId, inviteId }) };
    await acceptInvite(tx, { workspaceId, inviteId, userId });
    return { session: await beginSession(app, tx, { userId, workspaceId, client }) };
  });
  if ('session' in opening) tellOfMember(app, invite.workspaceId, opening.session.user.id);
  return sessionOrChallenge(opening);
}

/**
 * Makes the signed-in user a member by the link of their invitation. Works for accounts without a password.
 * Throws as `acceptInvitation` does.
 */
export async function acceptInvitationAs(
  app: App,
  { token, userId }: { token: string; userId: UserId },
): Promise<void> {
  const { id: inviteId, workspaceId, emailKey, provesAddress } = await getInvite(app, token);
  const { email } = await getUser(app.db, userId);
  if (caseKey(email) !== emailKey) throw new AppError('invite.address_mismatch');
  await app.db.tx(async (tx) => {
    await acceptInvite(tx, { workspaceId, inviteId, userId });
    if (provesAddress) await markEmailVerified(tx, userId);
  });
  tellOfMember(app, workspaceId, userId);
}

/** Throws 400 for a new password below the operator's minimum score. */
async function hashNew({ passwords, passwordJudge }: App, input: AcceptInvitation): Promise<string> {
  const { email, name, password } = input;
  await passwordJudge.judge(password, { about: [email, name], field: 'password' });
  return passwords.hash(password);
}

type LinkedInvite = PendingInvite & { provesAddress: boolean };

/**
 * Throws 410 `auth.link_expired`, also for a link that proves no address where every address must be proven: the
 * operator demanded that after the link was made.
 */
export async function getInvite({ db, clock, config }: App, token: string): Promise<LinkedInvite> {
  const now = clock.now();
  const link = await findInvitationToken(db, token, now);
  if (link === undefined || (!link.provesAddress && config.isEmailVerificationRequired))
    throw new AppError('auth.link_expired');
  const invite = await findPendingInvite(db, { ...link, now });
  if (invite === undefined) throw new AppError('auth.link_expired');
  return { ...invite, provesAddress: link.provesAddress };
}

async function makeAccount(
  tx: Tx,
  { workspaceId, id: inviteId, email }: PendingInvite,
  { name, passwordHash }: { name: string | null; passwordHash: string | null },
): Promise<UserId> {
  const userId =
    passwordHash === null ? undefined : await createUser(tx, { email, name, passwordHash, isVerified: false });
  if (userId !== undefined) return userId;
  // Another request created the account since the lookup. If that request used this invitation, the link is spent.
  const invite = await findPendingInvite(tx, { workspaceId, inviteId, now: tx.now });
  if (invite === undefined) throw new AppError('auth.link_expired');
  // Otherwise the account exists now, and the caller has not proven its password.
  throw new AppError('auth.invalid_credentials');
}
