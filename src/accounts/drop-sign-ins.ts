import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';
import { endSessions } from './end-session.ts';
import { removeSecondFactor } from './second-factor.ts';

/**
 * Ends what was attached to an account before its address was verified: sessions, second factor and identities. The
 * credential that registered the account keeps working: its password or, without a password, its first identity.
 */
export async function dropAttached(tx: Tx, userId: UserId): Promise<void> {
  await together([
    tx.run(sql`
      delete from identities
      where user_id = ${userId} and id is distinct from (
        select i.id
        from identities i
        join users u on u.id = i.user_id
        where i.user_id = ${userId} and u.password_hash is null
        order by i.linked_at, i.id
        limit 1
      )`),
    removeSecondFactor(tx, userId),
    endSessions(tx, { userId, except: null }),
  ]);
}

/**
 * Takes away every way into an account that nobody has ever shown to own its address: whoever made it may have been waiting
 * for the owner to come (pre-hijacking). What the owner brings is added behind it.
 */
export async function dropSignIns(tx: Tx, userId: UserId): Promise<void> {
  await together([
    tx.run(sql`update users set password_hash = null where id = ${userId}`),
    tx.run(sql`delete from identities where user_id = ${userId}`),
    tx.run(sql`delete from link_tokens where user_id = ${userId}`),
    removeSecondFactor(tx, userId),
    endSessions(tx, { userId, except: null }),
  ]);
}
