import { dropSignIns } from '../accounts/drop-sign-ins.ts';
import { endSessions } from '../accounts/end-session.ts';
import { forgetWrongGuesses } from '../accounts/limit-guesses.ts';
import { findUserToken, spendUserToken } from '../accounts/link-token.ts';
import { getUser } from '../accounts/queries.ts';
import type { PasswordStrength } from '../accounts/schema.ts';
import { setPassword } from '../accounts/set-password.ts';
import { markEmailVerified } from '../accounts/verify-email.ts';
import type { App } from '../app.ts';
import { auditAccount } from '../audit/audit.ts';
import { type Tx, together } from '../database/db.ts';
import { AppError } from '../lib/errors.ts';
import { enqueue } from '../queue/enqueue.ts';
import { revokeKeysOf } from '../workspaces/revoke-keys-of.ts';

export type PasswordSet = { passwordStrength?: PasswordStrength };

/**
 * Sets a new password for the holder of a mailed link, who has shown with it that the address is theirs: it counts as
 * verified. Ends all sessions. Throws 410 `auth.link_expired`, and 400 for a password below the operator's least score.
 */
export async function resetPassword(app: App, input: { token: string; password: string }): Promise<PasswordSet> {
  const { token, password } = input;
  const found = await findUserToken(app.db, 'password-reset', { token, now: app.clock.now() });
  // Before the work of hashing, which a token that is made up does not cause.
  if (found === undefined) throw new AppError('auth.link_expired');
  const { email, name, emailVerifiedAt } = await getUser(app.db, found.userId);
  const passwordStrength = await app.passwordJudge.judge(password, { about: [email, name], field: 'password' });
  const passwordHash = await app.passwords.hash(password);
  await app.db.tx((tx) => reset(tx, { token, passwordHash, email, isVerified: emailVerifiedAt !== null }));
  return passwordStrength === undefined ? {} : { passwordStrength };
}

type Reset = { token: string; passwordHash: string; email: string; isVerified: boolean };

async function reset(tx: Tx, { token, passwordHash, email, isVerified }: Reset) {
  const userId = await spendUserToken(tx, 'password-reset', token);
  if (userId === undefined) throw new AppError('auth.link_expired');
  // What someone set up for an address that was never shown to be theirs neither keeps out whose it is nor lets others in.
  if (!isVerified) await together([dropSignIns(tx, userId), revokeKeysOf(tx, userId)]);
  await together([
    setPassword(tx, { userId, passwordHash }),
    markEmailVerified(tx, userId),
    endSessions(tx, { userId, except: null }),
    forgetWrongGuesses(tx, email),
    auditAccount(tx, { type: 'password.reset', userId, data: {} }),
    enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'password' }),
  ]);
}
