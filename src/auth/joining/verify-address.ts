import { dropAttached } from '../../accounts/drop-sign-ins.ts';
import { spendUserToken } from '../../accounts/link-token.ts';
import { getUser } from '../../accounts/queries.ts';
import { markEmailVerified } from '../../accounts/verify-email.ts';
import { type Tx, together } from '../../database/db.ts';
import { AppError } from '../../lib/errors.ts';
import { revokeKeysOf } from '../../workspaces/revoke-keys-of.ts';

/**
 * Verifies an address by the token mailed to it. A stranger may have registered the address and attached their own
 * identity or API key, so the first verification removes all of these. The owner signs in with the password or resets
 * the password. Throws 410 `auth.link_expired`.
 */
export async function verifyAddress(tx: Tx, token: string): Promise<void> {
  const userId = await spendUserToken(tx, 'verify-email', token);
  if (userId === undefined) throw new AppError('auth.link_expired');
  const { emailVerifiedAt } = await getUser(tx, userId);
  if (emailVerifiedAt === null) await together([dropAttached(tx, userId), revokeKeysOf(tx, userId)]);
  await markEmailVerified(tx, userId);
}
