import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { enrolmentOf, newCodeSecret } from './one-time-code.ts';
import type { SecondFactor } from './schema.ts';

/** Binds a sealed secret to its account: the secret does not open in another account's row. */
export const sealContext = (userId: UserId): string => `second-factor:${userId}`;

/** Whether this user must enter a code to sign in. */
export async function hasSecondFactor(db: Queryable, userId: UserId): Promise<boolean> {
  const factor = await db.maybe(sql`
    select 1 from second_factors where user_id = ${userId} and confirmed_at is not null`);
  return factor !== undefined;
}

export async function readSecondFactor(db: Queryable, userId: UserId): Promise<SecondFactor> {
  const factor = await db.maybe<SecondFactor>(sql`
    select f.confirmed_at as "confirmedAt",
      (select count(*) from recovery_codes c where c.user_id = ${userId} and c.used_at is null) as "recoveryCodesLeft"
    from second_factors f
    where f.user_id = ${userId} and f.confirmed_at is not null`);
  return factor ?? { confirmedAt: null, recoveryCodesLeft: 0 };
}

export type Enrolment = { secret: string; otpauthUri: string };

/**
 * Starts to set up a second factor, which takes effect once the user confirms it with a code. Replaces an unconfirmed
 * factor. Throws 409 `auth.second_factor_exists` when a confirmed factor exists.
 */
export async function beginSecondFactor(
  tx: Tx,
  seal: Seal,
  { userId, email }: { userId: UserId; email: string },
): Promise<Enrolment> {
  const secret = newCodeSecret();
  const begun = await tx.run(sql`
    insert into second_factors (user_id, sealed_secret, created_at)
    values (${userId}, ${seal.seal(secret, sealContext(userId))}, ${tx.now})
    on conflict (user_id) do update
      set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at, last_step = null
      where second_factors.confirmed_at is null`);
  if (begun === 0) throw new AppError('auth.second_factor_exists');
  return enrolmentOf(secret, email);
}

/** Requires codes from now on. The session that confirmed the factor counts as one with a code. */
export async function confirmSecondFactor(tx: Tx, { userId, sessionId }: { userId: UserId; sessionId: string }) {
  tx.revokes();
  await together([
    tx.run(sql`
      update second_factors set confirmed_at = ${tx.now}
      where user_id = ${userId} and confirmed_at is null`),
    tx.run(sql`update sessions set second_factor_at = ${tx.now} where id = ${sessionId} and user_id = ${userId}`),
  ]);
}

/** Removes the second factor: sign-ins need no code, and no session counts as one with a code. */
export async function removeSecondFactor(tx: Tx, userId: UserId): Promise<void> {
  tx.revokes();
  await together([
    tx.run(sql`delete from second_factors where user_id = ${userId}`),
    tx.run(sql`delete from recovery_codes where user_id = ${userId}`),
    tx.run(sql`update sessions set second_factor_at = null where user_id = ${userId} and second_factor_at is not null`),
  ]);
}

/** Seals a secret again, under the newest key. */
export async function resealSecret(tx: Tx, seal: Seal, { userId, secret }: { userId: UserId; secret: Uint8Array }) {
  await tx.run(sql`
    update second_factors set sealed_secret = ${seal.seal(secret, sealContext(userId))}
    where user_id = ${userId}`);
}

export type SealedFactors = { lost: number; outdated: number };

/** Counts second factors that no configured key opens, and those under an older key. */
export function countSealedFactors(db: Queryable, { keyIds }: Pick<Seal, 'keyIds'>): Promise<SealedFactors> {
  return db.one<SealedFactors>(sql`
    select count(*) filter (where not key_id = any(${keyIds}::text[])) as lost,
      count(*) filter (where key_id = any(${keyIds.slice(1)}::text[])) as outdated
    from (select split_part(sealed_secret, '.', 2) as key_id from second_factors) sealed`);
}
