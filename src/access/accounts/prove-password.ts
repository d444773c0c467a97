import type { Principal } from '../../ground/catalog/actor.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { newId, type UserId } from '../../ground/lib/ids.ts';
import { auditAccount } from '../audit/audit.ts';
import { checkGuesses, guessOfPassword, recordWrongGuess } from './limit-guesses.ts';
import { lockProvenAccount } from './lock-account.ts';
import type { Passwords } from './password.ts';
import { type Account, findAccount, getAccount, isSessionOpen } from './queries.ts';
import { renewHash } from './set-password.ts';

export type PasswordProof = { email: string; password: string; ip: string };
type PasswordParts = { db: Db; clock: Clock; passwords: Passwords };

/**
 * Finds the account for an address and its password. An unknown address, an account without a password and a wrong
 * password take the same time and get the same answer: 401 `auth.invalid_credentials`, or 429 after too many attempts.
 * In a flood of sign-ins throws 503 `unavailable`.
 */
export function provePassword(parts: PasswordParts, proof: PasswordProof): Promise<Account> {
  return parts.passwords.admit(() => prove(parts, proof));
}

async function prove({ db, clock, passwords }: PasswordParts, proof: PasswordProof): Promise<Account> {
  const guess = guessOfPassword(proof.email, proof.ip);
  const [account] = await together([findAccount(db, proof.email), checkGuesses(db, guess, clock.now(), 0)]);
  const isRight = await passwords.matches(account?.passwordHash ?? null, proof.password);
  if (account !== undefined && isRight) {
    await checkGuesses(db, guess, clock.now(), 0);
    return { ...account, passwordHash: await renewedHash(db, passwords, account, proof.password) };
  }
  // Records a failure for unknown accounts as well, so that timing does not reveal which exist.
  const userId = account?.id ?? newId<UserId>();
  await db.tx((tx) =>
    together([
      recordWrongGuess(tx, guess),
      auditAccount(tx, { type: 'password.refused', userId, isByOwner: false, data: {} }),
    ]),
  );
  await checkGuesses(db, guess, clock.now(), 1);
  throw new AppError('auth.invalid_credentials');
}

/**
 * Rehashes a password whose parameters are outdated. Only a sign-in has the password that this needs.
 * @returns the hash that is stored from now on
 */
async function renewedHash(db: Db, passwords: Passwords, account: Account, password: string): Promise<string | null> {
  const { id: userId, passwordHash: from } = account;
  if (from === null || !passwords.isOutdated(from)) return from;
  const to = await passwords.hash(password);
  return (await db.tx((tx) => renewHash(tx, { userId, from, to }))) ? to : from;
}

/** How long a sign-in replaces the password of an account without a password. */
const freshMinutes = 10;

export type OwnPassword = { password?: string | undefined; ip: string };

/**
 * Requires the password again before a user changes how they sign in, or deletes much for good: a session may be stolen
 * or left open. An account without a password must have signed in within `freshMinutes`. Throws 401
 * `auth.invalid_credentials`, or 429.
 */
export async function proveSelf(
  parts: PasswordParts,
  principal: Principal,
  { password, ip }: OwnPassword,
): Promise<Account> {
  const account = await getAccount(parts.db, principal.userId);
  if (account.passwordHash !== null)
    return provePassword(parts, { email: account.email, password: password ?? '', ip });
  const fresh = await parts.db.maybe(sql`
    select 1
    from sessions
    where id = ${principal.sessionId}
      and created_at > ${parts.clock.now()}::timestamptz - make_interval(mins => ${freshMinutes}::int)`);
  if (fresh === undefined) throw new AppError('auth.invalid_credentials');
  return account;
}

/**
 * Call this first in the transaction of the change. Throws 401 when the password changed or the session ended since
 * `proveSelf`: a thief's request in progress must not survive the reset that locks the thief out.
 */
export async function holdSelf(tx: Tx, { sessionId }: Principal, account: Account): Promise<void> {
  await lockProvenAccount(tx, account);
  if (!(await isSessionOpen(tx, sessionId))) throw new AppError('auth.token_invalid');
}
