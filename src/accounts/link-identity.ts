import type { UserId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { type Queryable, type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { endSessions } from './end-session.ts';
import type { Identity } from './identity.ts';
import { removeSecondFactor } from './second-factor.ts';

type KnownIdentity = Pick<Identity, 'issuer' | 'subjects'>;

/** @returns undefined when nobody has signed in as this identity yet */
export async function findIdentityUser(
  db: Queryable,
  { issuer, subjects }: KnownIdentity,
): Promise<UserId | undefined> {
  const found = await db.maybe<{ userId: UserId }>(sql`
    select user_id as "userId"
    from identities
    where issuer = ${issuer} and subject = any(${subjects}::text[])
    order by array_position(${subjects}::text[], subject)
    limit 1`);
  return found?.userId;
}

/** First sign-ins of one identity take turns until the commit. */
export async function lockIdentity(tx: Tx, { issuer, subjects }: KnownIdentity): Promise<void> {
  const [subject] = subjects;
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`);
}

/** Who has an account of an address, and whether they have ever shown that it is theirs. Nobody else links to it or verifies it meanwhile. */
export function lockAccountOf(tx: Tx, email: string): Promise<{ id: UserId; isVerified: boolean } | undefined> {
  return tx.maybe<{ id: UserId; isVerified: boolean }>(sql`
    select id, email_verified_at is not null as "isVerified"
    from users
    where email_key = ${caseKey(email)}
    for no key update`);
}

/**
 * Lets an identity sign in to an account from now on; each subject that it is not known by yet is added.
 * @returns false when it came to be another account's at the same instant
 */
export async function linkIdentity(tx: Tx, identity: KnownIdentity, userId: UserId): Promise<boolean> {
  await tx.run(sql`
    insert into identities (issuer, subject, user_id, linked_at)
    select ${identity.issuer}, subject, ${userId}, ${tx.now}
    from unnest(${identity.subjects}::text[]) subject
    on conflict (issuer, subject) do nothing`);
  return (await findIdentityUser(tx, identity)) === userId;
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
