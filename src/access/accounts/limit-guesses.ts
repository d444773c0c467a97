import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { callerAddress } from '../../ground/http/rate-limit.ts';
import { rateLimited } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';

/** An attempt with a password or a code from an IP address. The account need not exist. */
export type Guess = { of: 'password' | 'code'; accountKey: string; ip: string };

/** @param email the address as the caller typed it */
export function guessOfPassword(email: string, ip: string): Guess {
  return { of: 'password', accountKey: caseKey(email), ip: callerAddress(ip) };
}

/** Email addresses contain no colon, so codes and passwords of one account are counted separately. */
export function guessOfCode(userId: UserId, ip: string): Guess {
  return { of: 'code', accountKey: `code:${userId}`, ip: callerAddress(ip) };
}

const windowSeconds = 15 * 60;
const wrongFromIp = { name: 'wrong-passwords-ip', max: 100, windowSeconds };
/**
 * Codes have one limit for all IP addresses: three of a million codes are right at any time, and only a caller who has
 * passed the first factor can try them.
 */
const policies = {
  password: {
    accountFromIp: { name: 'wrong-passwords-account-ip', max: 10, windowSeconds },
    account: { name: 'wrong-passwords-account', max: 100, windowSeconds },
    ip: wrongFromIp,
  },
  code: {
    accountFromIp: { name: 'wrong-codes-account', max: 10, windowSeconds },
    account: { name: 'wrong-codes-account', max: 10, windowSeconds },
    ip: wrongFromIp,
  },
} as const;
const kinds = ['accountFromIp', 'account', 'ip'] as const;

type FailureCounts = Record<(typeof kinds)[number], { count: number; waitSeconds: number }>;

/**
 * Throws 429 `rate_limited` after too many wrong passwords or codes for the account, from the IP address, or both.
 * Callers check before and after they compare, so that concurrent guesses learn no more than sequential guesses.
 * @param ownFailures 1 after this guess itself was recorded as wrong
 */
export async function checkGuesses(db: Queryable, guess: Guess, now: Date, ownFailures: 0 | 1): Promise<void> {
  const failures = await countFailures(db, guess, now);
  for (const kind of kinds) {
    const { count, waitSeconds } = failures[kind];
    const policy = policies[guess.of][kind];
    if (count - ownFailures >= policy.max) throw rateLimited(policy, Math.max(waitSeconds, 1));
  }
}

export async function recordWrongGuess(tx: Tx, { accountKey, ip }: Guess): Promise<void> {
  await tx.run(sql`
    insert into password_failures (id, account_key, ip, failed_at)
    values (${tx.newId()}, ${accountKey}, ${ip}, ${tx.now})`);
}

/** Clears wrong passwords after a reset: a person who forgot the password has tried several and need not wait. */
export async function forgetWrongGuesses(tx: Tx, email: string): Promise<void> {
  await tx.run(sql`delete from password_failures where account_key = ${caseKey(email)}`);
}

/** Counts few rows: a caller at a limit adds no more. */
async function countFailures(db: Queryable, { accountKey, ip }: Guess, now: Date): Promise<FailureCounts> {
  const rows = await db.rows<{ isAccount: boolean; isIp: boolean; endsInSeconds: number }>(sql`
    select account_key = ${accountKey} as "isAccount", ip = ${ip} as "isIp",
      ceil(extract(epoch from failed_at - ${now}::timestamptz) + ${windowSeconds}::int)::int as "endsInSeconds"
    from password_failures
    where (account_key = ${accountKey} or ip = ${ip})
      and failed_at > ${now}::timestamptz - make_interval(secs => ${windowSeconds}::int)
    order by failed_at
    limit 1000`);
  const countOf = (matching: typeof rows) => ({
    count: matching.length,
    waitSeconds: matching[0]?.endsInSeconds ?? 0,
  });
  return {
    accountFromIp: countOf(rows.filter(({ isAccount, isIp }) => isAccount && isIp)),
    account: countOf(rows.filter(({ isAccount }) => isAccount)),
    ip: countOf(rows.filter(({ isIp }) => isIp)),
  };
}
