import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Config } from '../../ground/settings/config.ts';

type Policy = Pick<Config, 'registration'>;

/** Whether people can create an account and a workspace without an invitation. */
export async function isRegistrationOpen(db: Queryable, { registration }: Policy): Promise<boolean> {
  if (registration !== 'first-run') return registration === 'open';
  const { exists } = await db.one<{ exists: boolean }>(sql`select exists (select from workspaces)`);
  return !exists;
}

/**
 * Asks the same inside the transaction that creates the account. A lock lets only one of several concurrent first
 * registrations find registration open.
 */
export async function isRegistrationOpenInTurn(tx: Tx, policy: Policy): Promise<boolean> {
  if (policy.registration === 'first-run')
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('first-run', 0))`);
  return isRegistrationOpen(tx, policy);
}
