import type { App } from '../../../app.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { dropAttached, dropSignIns } from '../../accounts/drop-sign-ins.ts';
import { findUserToken, spendUserToken } from '../../accounts/link-token.ts';
import { getUser } from '../../accounts/queries.ts';
import type { PasswordStrength } from '../../accounts/schema.ts';
import { dropPassword, setPassword } from '../../accounts/set-password.ts';
import { markEmailVerified, noteStrangersAccess } from '../../accounts/verify-email.ts';
import { revokeKeysOf } from '../../workspaces/keys/revoke-keys-of.ts';

type VerifyAddress = { token: string; password?: string; dropsPassword?: boolean };
type Proven = { passwordStrength?: PasswordStrength };

/**
 * Verifies an address by the token mailed to it. A stranger may have registered the address, so the first verification
 * removes what the account had attached: sessions, second factor, API keys and identities.
 * - With a password, it replaces the registered one, and the first identity is removed too.
 * - With `dropsPassword`, only the identity that registered the account signs in to it.
 * - With neither, the credential that registered the account keeps working.
 * Throws 410 `auth.link_expired`, also for a password if the address is verified already.
 */
export async function verifyAddress(app: App, { token, password, dropsPassword }: VerifyAddress): Promise<Proven> {
  if (password === undefined) {
    await app.db.tx((tx) => verify(tx, token, (userId) => keepRegistered(tx, userId, dropsPassword === true)));
    return {};
  }
  const found = await findUserToken(app.db, 'verify-email', { token, now: app.clock.now() });
  // Checks the token before hashing, so that made-up tokens cause no expensive work.
  if (found === undefined) throw new AppError('auth.link_expired');
  const { email, name } = await getUser(app.db, found.userId);
  const passwordStrength = await app.passwordJudge.judge(password, { about: [email, name], field: 'password' });
  const passwordHash = await app.passwords.hash(password);
  const isFirst = await app.db.tx((tx) =>
    verify(tx, token, async (userId) => {
      await dropSignIns(tx, userId);
      await setPassword(tx, { userId, passwordHash });
    }),
  );
  // Such a link must not work as one that sets a new password.
  if (!isFirst) throw new AppError('auth.link_expired');
  return passwordStrength === undefined ? {} : { passwordStrength };
}

/** @returns whether this is the first verification, for which `settle` decides about the ways to sign in */
async function verify(tx: Tx, token: string, settle: (userId: UserId) => Promise<void>): Promise<boolean> {
  const userId = await spendUserToken(tx, 'verify-email', token);
  if (userId === undefined) throw new AppError('auth.link_expired');
  const isFirst = (await getUser(tx, userId)).emailVerifiedAt === null;
  if (isFirst) await together([settle(userId), revokeKeysOf(tx, userId)]);
  await markEmailVerified(tx, userId);
  return isFirst;
}

async function keepRegistered(tx: Tx, userId: UserId, dropsPassword: boolean): Promise<void> {
  await together([dropAttached(tx, userId), noteStrangersAccess(tx, userId, { isOpen: true })]);
  if (dropsPassword) await dropPassword(tx, userId);
}
