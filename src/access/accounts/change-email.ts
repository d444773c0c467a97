import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { findUserToken, spendUserToken, voidUserTokens } from './link-token.ts';
import { getUser } from './queries.ts';

export type EmailChange = { userId: UserId; from: string; to: string };

const uniqueViolation = '23505';

/**
 * Gives an account the address to which the token was mailed, and marks the address as verified. Voids the links that
 * were mailed to the old address.
 * Throws 410 `auth.link_expired`, or 409 `auth.email_taken` when another account has taken the address meanwhile.
 */
export async function changeEmail(tx: Tx, token: string): Promise<EmailChange> {
  const found = await findUserToken(tx, 'change-email', { token, now: tx.now });
  const userId = await spendUserToken(tx, 'change-email', token);
  if (found?.email == null || userId === undefined) throw new AppError('auth.link_expired');
  const { email: to } = found;
  const { email: from } = await getUser(tx, userId);
  const changed = tx.run(sql`
    update users set email = ${to}, email_key = ${caseKey(to)}, email_verified_at = ${tx.now}
    where id = ${userId}`);
  // The unique key decides between two accounts that want one address.
  await changed.catch((error: Error & { code?: string }) => {
    throw error.code === uniqueViolation ? new AppError('auth.email_taken', {}, { cause: error }) : error;
  });
  await voidUserTokens(tx, ['verify-email', 'password-reset'], userId);
  return { userId, from, to };
}
