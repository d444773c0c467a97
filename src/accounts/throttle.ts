import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

export type Throttle = {
  action: 'resend-verification' | 'forgot-password' | 'address-taken' | 'resend-invite' | 'change-email';
  subject: string;
  everySeconds: number;
};

/**
 * Claims the right to do a thing that may be done only so often; of several at once one gets it.
 * @returns 0 when it may be done now, else the seconds until it may
 */
export async function claimTurn(tx: Tx, { action, subject, everySeconds }: Throttle): Promise<number> {
  const claimed = await tx.run(sql`
    insert into throttles (action, subject, last_at)
    values (${action}, ${subject}, ${tx.now})
    on conflict (action, subject) do update set last_at = excluded.last_at
    where throttles.last_at <= excluded.last_at - make_interval(secs => ${everySeconds})`);
  if (claimed > 0) return 0;
  const { waitSeconds } = await tx.one<{ waitSeconds: number }>(sql`
    select ceil(extract(epoch from last_at - ${tx.now}::timestamptz) + ${everySeconds}::int)::int as "waitSeconds"
    from throttles
    where action = ${action} and subject = ${subject}`);
  // At least one: a claim of the same instant may have come between.
  return Math.max(waitSeconds, 1);
}
