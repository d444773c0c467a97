import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

/** Deletes what has run out: tokens, sessions that ended or can no longer be refreshed, wrong passwords and turns long past. */
export async function sweepAccounts(tx: Tx): Promise<void> {
  await tx.run(sql`delete from link_tokens where expires_at <= ${tx.now}`);
  await tx.run(sql`delete from refresh_tokens where expires_at <= ${tx.now}`);
  // With grace: an access token outlives its session's last refresh token by up to an hour.
  await tx.run(sql`
    delete from sessions
    where ended_at < ${tx.now}::timestamptz - interval '1 day'
      or last_used_at < ${tx.now}::timestamptz - interval '31 days'`);
  await tx.run(sql`delete from password_failures where failed_at < ${tx.now}::timestamptz - interval '1 hour'`);
  await tx.run(sql`delete from throttles where last_at < ${tx.now}::timestamptz - interval '1 day'`);
}
