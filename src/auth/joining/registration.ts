import type { Queryable, Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import type { Config } from '../../settings/config.ts';

type Policy = Pick<Config, 'registration'>;

/** Whether people without an invitation may make an account and a workspace. */
export async function isRegistrationOpen(db: Queryable, { registration }: Policy): Promise<boolean> {
  if (registration !== 'first-run') return registration === 'open';
  const { exists } = await db.one<{ exists: boolean }>(sql`select exists (select from workspaces)`);
  return !exists;
}

/** The same inside the transaction that makes the account. A lock lets only one of several first registrations find it open. */
export async function isRegistrationOpenInTurn(tx: Tx, policy: Policy): Promise<boolean> {
  if (policy.registration === 'first-run')
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('first-run', 0))`);
  return isRegistrationOpen(tx, policy);
}
