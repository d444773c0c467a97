import type { UserId } from '../lib/ids.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

/** Notes that the person reads the mail of the account's address; the first time stays. */
export async function markEmailVerified(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`
    update users set email_verified_at = ${tx.now}
    where id = ${userId} and email_verified_at is null`);
}
