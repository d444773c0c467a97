import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId } from '../lib/ids.ts';
import type { Account } from './queries.ts';

/**
 * Sign-ins of a person, and what ends them or asks more of them, take turns until the commit: a session that is begun beside
 * the end of all of them would outlive it. Before any other lock, so that nobody is waited for crosswise.
 */
export async function holdAccount(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`select 1 from users where id = ${userId} for no key update`);
}

/**
 * The same for who has shown their password. Throws 401 `auth.invalid_credentials` when it was changed since: comparing takes
 * its time, seconds where many wait, and who knew the old one would come in behind the new one.
 */
export async function holdProven(tx: Tx, { id: userId, passwordHash }: Pick<Account, 'id' | 'passwordHash'>) {
  const held = await tx.maybe(sql`
    select 1
    from users
    where id = ${userId} and password_hash is not distinct from ${passwordHash}
    for no key update`);
  if (held === undefined) throw new AppError('auth.invalid_credentials');
}
