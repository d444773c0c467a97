import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { voidUserTokens } from './link-token.ts';

/**
 * Changes a password. Voids mailed links to reset the password or to change the address: a person who knew the old
 * password may have requested them.
 */
export async function setPassword(tx: Tx, { userId, passwordHash }: { userId: UserId; passwordHash: string }) {
  await together([
    tx.run(sql`update users set password_hash = ${passwordHash} where id = ${userId}`),
    voidUserTokens(tx, ['password-reset', 'change-email'], userId),
  ]);
}

/** The account signs in with its identities only, until a password is set by a mailed link. */
export async function dropPassword(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`update users set password_hash = null where id = ${userId}`);
}

/**
 * Stores the same password under today's parameters.
 * @returns false without a change when the password has changed since the caller read it
 */
export async function renewHash(tx: Tx, { userId, from, to }: { userId: UserId; from: string; to: string }) {
  return (
    (await tx.run(sql`update users set password_hash = ${to} where id = ${userId} and password_hash = ${from}`)) > 0
  );
}
