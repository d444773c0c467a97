import { type Tx, together } from '../../ground/database/db.ts';
import type { ErrorKey } from '../../ground/lib/error-catalog.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import type { Config } from '../../ground/settings/config.ts';
import { createUser } from '../accounts/create-user.ts';
import { dropSignIns } from '../accounts/drop-sign-ins.ts';
import type { Identity } from '../accounts/identities/identity.ts';
import {
  addSubjects,
  type FoundAccount,
  findLink,
  linkIdentity,
  lockAccountOf,
  lockIdentity,
} from '../accounts/identities/link-identity.ts';
import { getUser } from '../accounts/queries.ts';
import type { User } from '../accounts/schema.ts';
import { markEmailVerified, noteStrangersAccess } from '../accounts/verify-email.ts';
import { auditAccount } from '../audit/audit.ts';
import { acceptInvites, lockInvitesOf } from '../workspaces/accept-invites-of.ts';
import { createWorkspace } from '../workspaces/create-workspace.ts';
import { revokeKeysOf } from '../workspaces/keys/revoke-keys-of.ts';
import { isRegistrationOpenInTurn } from '../workspaces/registration.ts';
import { workspaceNameFor } from './joining/register.ts';

/** The account that an identity signs in to; or why the sign-in fails, and the account that it would have reached. */
export type Admission =
  | { ok: true; user: User; how: 'known' | 'linked' | 'registered' }
  | { ok: false; key: ErrorKey; userId: UserId | null };

type Policy = Pick<Config, 'registration' | 'isEmailVerificationRequired'>;
type Addressed = Identity & { email: string };

/**
 * Finds the account of an identity by its subject, never by the address alone. An account with the same address is
 * linked only when the provider vouches for the address. An unknown identity gets a new account, as if registered.
 */
export async function admitIdentity(tx: Tx, policy: Policy, identity: Identity): Promise<Admission> {
  const link = (await findLink(tx, identity)) ?? (await waitForTwin(tx, identity));
  if (link !== undefined) {
    await addSubjects(tx, identity, link);
    return { ok: true, user: await recogniseUser(tx, identity, link.userId), how: 'known' };
  }
  const { email } = identity;
  if (email === null) return { ok: false, key: 'auth.identity_token_invalid', userId: null };
  const addressed = { ...identity, email };
  const account = await lockAccountOf(tx, email);
  if (account !== undefined) return linkAccount(tx, addressed, account);
  const registered = await registerIdentity(tx, policy, addressed);
  if (registered !== undefined) return registered;
  // Another transaction registered the address meanwhile, and `createUser` waited for its commit.
  const other = await lockAccountOf(tx, email);
  if (other === undefined) throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
  return linkAccount(tx, addressed, other);
}

/** Of two concurrent first sign-ins the second waits for the commit of the first, and then finds its link. */
async function waitForTwin(tx: Tx, identity: Identity): Promise<Awaited<ReturnType<typeof findLink>>> {
  await lockIdentity(tx, identity);
  return findLink(tx, identity);
}

/** A later sign-in may verify the account's address too, if the provider says that the address is verified. */
async function recogniseUser(tx: Tx, identity: Identity, userId: UserId): Promise<User> {
  const user = await getUser(tx, userId);
  const isSameAddress = identity.email !== null && caseKey(identity.email) === caseKey(user.email);
  if (user.emailVerifiedAt !== null || !isSameAddress || !identity.isEmailVerified) return user;
  await markEmailVerified(tx, userId);
  return getUser(tx, userId);
}

async function linkAccount(tx: Tx, identity: Addressed, { id: userId, isDoubtful }: FoundAccount): Promise<Admission> {
  if (!identity.isVouched) return { ok: false, key: 'auth.identity_not_linked', userId };
  if (isDoubtful) await together([dropSignIns(tx, userId), revokeKeysOf(tx, userId)]);
  await takeIdentity(tx, identity, userId);
  await together([
    markEmailVerified(tx, userId),
    noteStrangersAccess(tx, userId, { isOpen: false }),
    enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'identity-linked' }),
  ]);
  return { ok: true, user: await getUser(tx, userId), how: 'linked' };
}

/** @returns undefined when a concurrent transaction took the address */
async function registerIdentity(tx: Tx, policy: Policy, identity: Addressed): Promise<Admission | undefined> {
  const { email, name, isVouched, isEmailVerified } = identity;
  const isOpen = await isRegistrationOpenInTurn(tx, policy);
  const invites = isOpen || !isVouched ? [] : await lockInvitesOf(tx, email);
  if (!isOpen && invites.length === 0) return { ok: false, key: 'auth.registration_closed', userId: null };
  const userId = await createUser(tx, { email, name, passwordHash: null, isVerified: isEmailVerified });
  if (userId === undefined) return undefined;
  if (isOpen) await createWorkspace(tx, { name: workspaceNameFor({ email, name }), ownerId: userId });
  else await acceptInvites(tx, invites, userId);
  await takeIdentity(tx, identity, userId);
  if (!isEmailVerified && policy.isEmailVerificationRequired) {
    await enqueue(tx, 'system-mail.send', { kind: 'verify-email', userId });
  }
  return { ok: true, user: await getUser(tx, userId), how: 'registered' };
}

async function takeIdentity(tx: Tx, identity: Identity, userId: UserId): Promise<void> {
  const isTheirs = await linkIdentity(tx, identity, userId);
  // Another transaction linked one of the subjects since the lookup. A retry finds that link.
  if (!isTheirs) throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
  await auditAccount(tx, { type: 'identity.linked', userId, data: { provider: identity.provider } });
}
