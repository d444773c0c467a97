import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';

/** Marks the account's address as verified. Keeps the time of the first verification. */
export async function markEmailVerified(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`
    update users set email_verified_at = ${tx.now}
    where id = ${userId} and email_verified_at is null`);
}
