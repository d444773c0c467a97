import { rateLimited } from '../lib/errors.ts';
import { caseKey } from '../lib/text.ts';
import type { Queryable, Tx } from '../platform/db.ts';
import { callerAddress } from '../platform/rate-limit.ts';
import { sql } from '../platform/sql.ts';

/** A password as it was tried: for an address, which need not be an account's, from somewhere. */
export type Guess = { email: string; ip: string };

const windowSeconds = 15 * 60;
const policies = {
  accountFromIp: { name: 'wrong-passwords-account-ip', max: 10, windowSeconds },
  account: { name: 'wrong-passwords-account', max: 100, windowSeconds },
  ip: { name: 'wrong-passwords-ip', max: 100, windowSeconds },
} as const;
const kinds = ['accountFromIp', 'account', 'ip'] as const;

type FailureCounts = Record<(typeof kinds)[number], { count: number; waitSeconds: number }>;

/**
 * Throws 429 `rate_limited` when too many passwords were wrong lately: for the account, from the address, or both.
 * Asked before a password is looked at, and again after: many guesses at once learn no more than as many one by one.
 * @param ownFailures 1 after this guess itself was recorded as wrong
 */
export async function checkGuesses(db: Queryable, guess: Guess, now: Date, ownFailures: 0 | 1): Promise<void> {
  const failures = await countFailures(db, guess, now);
  for (const kind of kinds) {
    const { count, waitSeconds } = failures[kind];
    if (count - ownFailures >= policies[kind].max) throw rateLimited(policies[kind], Math.max(waitSeconds, 1));
  }
}

export async function recordWrongGuess(tx: Tx, guess: Guess): Promise<void> {
  await tx.run(sql`
    insert into password_failures (id, account_key, ip, failed_at)
    values (${tx.newId()}, ${caseKey(guess.email)}, ${callerAddress(guess.ip)}, ${tx.now})`);
}

/** The rows counted are few: whoever reaches a limit adds no more. */
async function countFailures(db: Queryable, guess: Guess, now: Date): Promise<FailureCounts> {
  const accountKey = caseKey(guess.email);
  const ip = callerAddress(guess.ip);
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
