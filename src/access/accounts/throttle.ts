import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

export type Throttle = {
  action: 'resend-verification' | 'forgot-password' | 'address-taken' | 'resend-invite' | 'change-email';
  subject: string;
  everySeconds: number;
};

/**
 * Claims a turn for an action that is limited to one per `everySeconds`. Of several concurrent calls one gets the turn.
 * @returns 0 when the caller may act now, else the seconds to wait
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
  // At least 1: a concurrent claim may carry the same or an earlier time.
  return Math.max(waitSeconds, 1);
}
