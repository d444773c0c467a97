import { holdProven } from '../../accounts/hold-account.ts';
import { proveCode } from '../../accounts/prove-code.ts';
import { provePassword } from '../../accounts/prove-password.ts';
import { type Account, getAccount, isSessionOpen } from '../../accounts/queries.ts';
import type { App } from '../../app.ts';
import type { Principal } from '../../catalog/actor.ts';
import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { AppError } from '../../lib/errors.ts';

/** How long a sign-in replaces the password of an account without one. */
const freshMinutes = 10;

export type OwnPassword = { password?: string | undefined; ip: string };

/**
 * Requires the password again before a user changes how they sign in: a session may be stolen or left open. An account
 * without a password must have signed in within `freshMinutes`. Throws 401 `auth.invalid_credentials`, or 429.
 */
export async function proveSelf(app: App, principal: Principal, { password, ip }: OwnPassword): Promise<Account> {
  const account = await getAccount(app.db, principal.userId);
  if (account.passwordHash !== null) return provePassword(app, { email: account.email, password: password ?? '', ip });
  const fresh = await app.db.maybe(sql`
    select 1
    from sessions
    where id = ${principal.sessionId}
      and created_at > ${app.clock.now()}::timestamptz - make_interval(mins => ${freshMinutes}::int)`);
  if (fresh === undefined) throw new AppError('auth.invalid_credentials');
  return account;
}

/**
 * Call this first in the transaction of the change. Throws 401 when the password changed or the session ended since
 * `proveSelf`: a thief's request in progress must not survive the reset that locks the thief out.
 */
export async function holdSelf(tx: Tx, { sessionId }: Principal, account: Account): Promise<void> {
  await holdProven(tx, account);
  if (!(await isSessionOpen(tx, sessionId))) throw new AppError('auth.token_invalid');
}

export type OwnCode = { code: string; ip: string; factor: 'confirmed' | 'begun' };

/** Runs the work in the transaction that checks a code. Commits the failure of a wrong code, then throws 401. */
export async function withOwnCode<Result>(
  app: App,
  { userId }: Principal,
  { code, ip, factor }: OwnCode,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const done = await app.db.tx(async (tx) =>
    (await proveCode(tx, app.seal, { userId, code, ip, factor })) ? { result: await work(tx) } : undefined,
  );
  if (done === undefined) throw new AppError('auth.invalid_credentials');
  return done.result;
}
