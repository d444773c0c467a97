import type { App } from '../../app.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { dropIdentities, dropSignIns } from '../accounts/drop-sign-ins.ts';
import { endSessions } from '../accounts/end-session.ts';
import { forgetWrongGuesses } from '../accounts/limit-guesses.ts';
import { findUserToken, spendUserToken } from '../accounts/link-token.ts';
import { getUser } from '../accounts/queries.ts';
import type { PasswordStrength } from '../accounts/schema.ts';
import { hasSecondFactor, removeSecondFactor } from '../accounts/second-factor.ts';
import { setPassword } from '../accounts/set-password.ts';
import { markEmailVerified, noteStrangersAccess } from '../accounts/verify-email.ts';
import { auditAccount } from '../audit/audit.ts';
import { revokeKeysOf } from '../workspaces/keys/revoke-keys-of.ts';

type ResetPassword = { token: string; password: string; keepsAccess?: boolean };
export type PasswordSet = { passwordStrength?: PasswordStrength };

/**
 * Sets a new password by a mailed link. The link proves that its holder reads the address's mail, so the address counts
 * as verified. Ends all sessions. Removes API keys and identities too, because the person may have lost control of the
 * account, unless `keepsAccess` says that they stay. The second factor stays, unless a stranger may have set it up.
 * Throws 410 `auth.link_expired`, or 400 for a password below the operator's minimum score.
 */
export async function resetPassword(app: App, input: ResetPassword): Promise<PasswordSet> {
  const { token, password, keepsAccess = false } = input;
  const found = await findUserToken(app.db, 'password-reset', { token, now: app.clock.now() });
  // Checks the token before hashing, so that made-up tokens cause no expensive work.
  if (found === undefined) throw new AppError('auth.link_expired');
  const { email, name } = await getUser(app.db, found.userId);
  const passwordStrength = await app.passwordJudge.judge(password, { about: [email, name], field: 'password' });
  const passwordHash = await app.passwords.hash(password);
  await app.db.tx((tx) => reset(tx, { token, passwordHash, email, keepsAccess }));
  return passwordStrength === undefined ? {} : { passwordStrength };
}

type Reset = { token: string; passwordHash: string; email: string; keepsAccess: boolean };

async function reset(tx: Tx, { token, passwordHash, email, keepsAccess }: Reset) {
  const userId = await spendUserToken(tx, 'password-reset', token);
  if (userId === undefined) throw new AppError('auth.link_expired');
  const { isVerified, isOpen } = await tx.one<{ isVerified: boolean; isOpen: boolean }>(sql`
    select email_verified_at is not null as "isVerified", verified_without_password as "isOpen"
    from users
    where id = ${userId}`);
  // A stranger may have registered the address. Their credentials must not lock the owner out, or let the stranger in.
  if (!isVerified) await together([dropSignIns(tx, userId), revokeKeysOf(tx, userId)]);
  else if (!keepsAccess) await together([dropIdentities(tx, userId), revokeKeysOf(tx, userId)]);
  if (isOpen) await removeStrangersFactor(tx, userId);
  await together([
    setPassword(tx, { userId, passwordHash }),
    markEmailVerified(tx, userId),
    noteStrangersAccess(tx, userId, { isOpen: false }),
    endSessions(tx, { userId, except: null }),
    forgetWrongGuesses(tx, email),
    auditAccount(tx, { type: 'password.reset', userId, data: {} }),
    enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'password' }),
  ]);
}

async function removeStrangersFactor(tx: Tx, userId: UserId): Promise<void> {
  if (!(await hasSecondFactor(tx, userId))) return;
  await together([
    removeSecondFactor(tx, userId),
    auditAccount(tx, { type: 'second_factor.disabled', userId, data: {} }),
    enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'second-factor-off' }),
  ]);
}
