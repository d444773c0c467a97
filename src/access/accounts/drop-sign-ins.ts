import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { endSessions } from './end-session.ts';
import { voidUserTokens } from './link-token.ts';
import { removeSecondFactor } from './second-factor.ts';
import { dropPassword } from './set-password.ts';

/**
 * Ends the sessions, second factor, identities and links to another address that were attached to an account before its
 * address was verified. The credential that registered the account keeps working: its password or, without a password,
 * its first identity.
 */
export async function dropAttached(tx: Tx, userId: UserId): Promise<void> {
  // A statement of its own, because on Citus no write of identities may read users.
  const { hasPassword } = await tx.one<{ hasPassword: boolean }>(sql`
    select password_hash is not null as "hasPassword" from users where id = ${userId}`);
  await together([
    tx.run(sql`
      delete from identities
      where user_id = ${userId} and id is distinct from (
        select i.id
        from identities i
        where i.user_id = ${userId} and not ${hasPassword}
        order by i.linked_at, i.id
        limit 1
      )`),
    voidUserTokens(tx, ['change-email'], userId),
    removeSecondFactor(tx, userId),
    endSessions(tx, { userId, except: null }),
  ]);
}

/** Removes all identities of an account. */
export async function dropIdentities(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`delete from identities where user_id = ${userId}`);
}

/**
 * Removes every way to sign in to an account whose address was never verified. The person who registered the account
 * may have waited for the owner of the address to join it (pre-hijacking). The caller then adds the owner's credential.
 */
export async function dropSignIns(tx: Tx, userId: UserId): Promise<void> {
  await together([
    dropPassword(tx, userId),
    dropIdentities(tx, userId),
    tx.run(sql`delete from link_tokens where user_id = ${userId}`),
    removeSecondFactor(tx, userId),
    endSessions(tx, { userId, except: null }),
  ]);
}
