import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';
import { voidUserTokens } from './link-token.ts';

/**
 * Gives an account another password. Links that were mailed to set one are void, and those to take another address: who knew
 * the old password may have asked for them.
 */
export async function setPassword(tx: Tx, { userId, passwordHash }: { userId: UserId; passwordHash: string }) {
  await together([
    tx.run(sql`update users set password_hash = ${passwordHash} where id = ${userId}`),
    voidUserTokens(tx, ['password-reset', 'change-email'], userId),
  ]);
}

/** The same password under today's parameters. @returns false, and nothing is done, when it was changed since it was looked at */
export async function renewHash(tx: Tx, { userId, from, to }: { userId: UserId; from: string; to: string }) {
  return (
    (await tx.run(sql`update users set password_hash = ${to} where id = ${userId} and password_hash = ${from}`)) > 0
  );
}
