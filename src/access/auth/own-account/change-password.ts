import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import { together } from '../../../ground/database/db.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { endSessions } from '../../accounts/end-session.ts';
import { lockProvenAccount } from '../../accounts/lock-account.ts';
import { provePassword } from '../../accounts/prove-password.ts';
import { getUser } from '../../accounts/queries.ts';
import { setPassword } from '../../accounts/set-password.ts';
import { auditAccount } from '../../audit/audit.ts';
import type { PasswordSet } from '../reset-password.ts';

export type ChangePassword = { currentPassword: string; newPassword: string; ip: string };

/**
 * Changes the user's own password and ends their other sessions. Throws 401 `auth.invalid_credentials` or 429 for the
 * current password, and 400 for a new password below the operator's minimum score.
 */
export async function changePassword(app: App, principal: Principal, input: ChangePassword): Promise<PasswordSet> {
  const { currentPassword, newPassword, ip } = input;
  const { userId, sessionId } = principal;
  // A recent sign-in does not replace the current password: a user without a password sets one by a mailed link.
  const own = await getUser(app.db, userId);
  const account = await provePassword(app, { email: own.email, password: currentPassword, ip });
  const { email, name } = account;
  const passwordStrength = await app.passwordJudge.judge(newPassword, { about: [email, name], field: 'newPassword' });
  const passwordHash = await app.passwords.hash(newPassword);
  await app.db.tx(async (tx) => {
    await lockProvenAccount(tx, account);
    await together([
      setPassword(tx, { userId, passwordHash }),
      endSessions(tx, { userId, except: sessionId }),
      auditAccount(tx, { type: 'password.changed', userId, data: {} }),
      enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'password' }),
    ]);
  });
  return passwordStrength === undefined ? {} : { passwordStrength };
}
