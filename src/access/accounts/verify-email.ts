import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';

/** Marks the account's address as verified. Keeps the time of the first verification. */
export async function markEmailVerified(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`
    update users set email_verified_at = ${tx.now}
    where id = ${userId} and email_verified_at is null`);
}

/** @param isOpen whether the credential that registered the account, perhaps a stranger's, still signs in to it */
export async function noteStrangersAccess(tx: Tx, userId: UserId, { isOpen }: { isOpen: boolean }): Promise<void> {
  await tx.run(sql`
    update users set verified_without_password = ${isOpen}
    where id = ${userId} and verified_without_password <> ${isOpen}`);
}
