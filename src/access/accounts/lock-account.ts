import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Account } from './queries.ts';

/**
 * Locks an account until the commit. A sign-in and a change that ends all sessions must not overlap. Otherwise the new
 * session survives the change. Take this lock before any other, to avoid deadlocks.
 */
export async function lockAccount(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`select 1 from users where id = ${userId} for no key update`);
}

/**
 * Locks the account of a person who has just proven their password. Throws 401 `auth.invalid_credentials` when the
 * password has changed since: comparing a hash can take seconds under load, so a password may change meanwhile.
 */
export async function lockProvenAccount(tx: Tx, { id: userId, passwordHash }: Pick<Account, 'id' | 'passwordHash'>) {
  const held = await tx.maybe(sql`
    select 1
    from users
    where id = ${userId} and password_hash is not distinct from ${passwordHash}
    for no key update`);
  if (held === undefined) throw new AppError('auth.invalid_credentials');
}
