import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { proveCode } from '../../accounts/prove-code.ts';

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
