import { holdProven } from '../../accounts/hold-account.ts';
import { proveCode } from '../../accounts/prove-code.ts';
import { provePassword } from '../../accounts/prove-password.ts';
import { type Account, getAccount, isSessionOpen } from '../../accounts/queries.ts';
import type { App } from '../../app.ts';
import type { Principal } from '../../catalog/actor.ts';
import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { AppError } from '../../lib/errors.ts';

/** How long a sign-in stands for the password that an account does not have. */
const freshMinutes = 10;

export type OwnPassword = { password?: string | undefined; ip: string };

/**
 * Whoever changes how they sign in shows their password again: a session left open, or stolen, is not enough. An account
 * without one must have signed in within the last minutes. Throws 401 `auth.invalid_credentials`, or 429.
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
 * For the transaction of the change, before all else: throws 401 when the password was changed or the session ended since
 * they were shown. What a thief has under way must not outlive the reset that shuts them out.
 */
export async function holdSelf(tx: Tx, { sessionId }: Principal, account: Account): Promise<void> {
  await holdProven(tx, account);
  if (!(await isSessionOpen(tx, sessionId))) throw new AppError('auth.token_invalid');
}

export type OwnCode = { code: string; ip: string; factor: 'confirmed' | 'begun' };

/** Does the work in the transaction that takes a code. A wrong one is committed, so that it counts, and answers 401. */
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
