import type { Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type { Identity } from './identity.ts';

type KnownIdentity = Pick<Identity, 'provider' | 'issuer' | 'subjects'>;
type Link = { id: string; userId: UserId };

/** @returns undefined when nobody has signed in as this identity yet */
export function findLink(db: Queryable, { issuer, subjects }: KnownIdentity): Promise<Link | undefined> {
  return db.maybe<Link>(sql`
    select id, user_id as "userId"
    from identities
    where issuer = ${issuer} and subject = any(${subjects}::text[])
    order by array_position(${subjects}::text[], subject)
    limit 1`);
}

/** Serialises first sign-ins of one identity until the commit. */
export async function lockIdentity(tx: Tx, { issuer, subjects }: KnownIdentity): Promise<void> {
  const [subject] = subjects;
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`);
}

export type FoundAccount = {
  id: UserId;
  /** A stranger may have registered the address, and may still sign in. */
  isDoubtful: boolean;
};

/** Finds and locks the account of an address. No other transaction can link or verify the account meanwhile. */
export function lockAccountOf(tx: Tx, email: string): Promise<FoundAccount | undefined> {
  return tx.maybe<FoundAccount>(sql`
    select id, email_verified_at is null or verified_without_password as "isDoubtful"
    from users
    where email_key = ${caseKey(email)}
    for no key update`);
}

/** Adds the subjects that a link lacks. A subject that belongs to another account stays there. */
export async function addSubjects(tx: Tx, { provider, issuer, subjects }: KnownIdentity, link: Link): Promise<void> {
  await tx.run(sql`
    insert into identities (issuer, subject, id, provider, user_id, linked_at)
    select ${issuer}, subject, ${link.id}, ${provider}, ${link.userId}, ${tx.now}
    from unnest(${subjects}::text[]) subject
    on conflict (issuer, subject) do nothing`);
}

/**
 * Lets an identity sign in to an account from now on.
 * @returns false when the identity already signs in to another account
 */
export async function linkIdentity(tx: Tx, identity: KnownIdentity, userId: UserId): Promise<boolean> {
  const link = (await findLink(tx, identity)) ?? { id: tx.newId(), userId };
  if (link.userId !== userId) return false;
  await addSubjects(tx, identity, link);
  return (await findLink(tx, identity))?.userId === userId;
}

/** @returns the provider; undefined when the user has no such identity */
export async function unlinkIdentity(
  tx: Tx,
  { userId, identityId }: { userId: UserId; identityId: string },
): Promise<string | undefined> {
  const unlinked = await tx.maybe<{ provider: string }>(sql`
    delete from identities where user_id = ${userId} and id = ${identityId} returning provider`);
  return unlinked?.provider;
}
