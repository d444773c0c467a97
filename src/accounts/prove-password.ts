import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type Db, together } from '../platform/db.ts';
import { checkGuesses, recordWrongGuess } from './limit-guesses.ts';
import type { Passwords } from './password.ts';
import { type Account, findAccount } from './queries.ts';

export type PasswordProof = { email: string; password: string; ip: string };
type Parts = { db: Db; clock: Clock; passwords: Passwords };

/**
 * Finds the account that an address and its password name. An unknown address, one without a password and a wrong password
 * cost and answer the same: 401 `auth.invalid_credentials`, or 429 when there were too many.
 */
export async function provePassword({ db, clock, passwords }: Parts, proof: PasswordProof): Promise<Account> {
  const [account] = await together([findAccount(db, proof.email), checkGuesses(db, proof, clock.now(), 0)]);
  const isRight = await passwords.matches(account?.passwordHash ?? null, proof.password);
  if (account !== undefined && isRight) {
    await checkGuesses(db, proof, clock.now(), 0);
    return account;
  }
  await db.tx((tx) => recordWrongGuess(tx, proof));
  await checkGuesses(db, proof, clock.now(), 1);
  throw new AppError('auth.invalid_credentials');
}
