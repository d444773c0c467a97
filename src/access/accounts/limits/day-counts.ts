import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';

export const daySeconds = 86_400;

/** A limit for a day, which begins with the first of what it counts; 0 means no limit. */
export type DayLimit = { subject: string; max: number };

/** The limit that is reached, and the seconds until its day ends. */
type ReachedLimit = { limit: DayLimit; waitSeconds: number };

/**
 * Counts `amount` against every limit, or against none if one of them is reached. Commits at once, so that no request
 * waits for the transaction of another. What is counted stays counted if the transaction fails.
 */
export async function takeOfDay(
  tx: Tx,
  limits: readonly DayLimit[],
  amount: number,
): Promise<ReachedLimit | undefined> {
  const taken: DayLimit[] = [];
  for (const limit of limits) {
    if (limit.max === 0) continue;
    if (await takeAmount(tx, limit, amount)) taken.push(limit);
    else {
      for (const { subject } of taken) await giveBack(tx, subject, amount);
      return { limit, waitSeconds: await secondsLeft(tx, limit.subject) };
    }
  }
  return undefined;
}

async function takeAmount(tx: Tx, { subject, max }: DayLimit, amount: number): Promise<boolean> {
  const { isTaken } = await tx.apart<{ isTaken: boolean }>(sql`
    with taken as (
      insert into day_counts as d (subject, began_at, count)
      select ${subject}::text, ${tx.now}::timestamptz, ${amount}::integer
      where ${amount}::integer <= ${max}::integer
      on conflict (subject) do update
      set began_at = case when ${dayIsOver(tx)} then excluded.began_at else d.began_at end,
        count = case when ${dayIsOver(tx)} then excluded.count else d.count + excluded.count end
      where ${dayIsOver(tx)} or d.count + excluded.count <= ${max}::integer
      returning subject
    )
    select exists (select from taken) as "isTaken"`);
  return isTaken;
}

const dayIsOver = (tx: Tx) => sql`d.began_at <= ${tx.now}::timestamptz - make_interval(secs => ${daySeconds})`;

async function giveBack(tx: Tx, subject: string, amount: number): Promise<void> {
  await tx.apart(sql`
    with given as (
      update day_counts set count = greatest(count - ${amount}, 0) where subject = ${subject} returning subject
    )
    select exists (select from given) as "isGiven"`);
}

async function secondsLeft(tx: Tx, subject: string): Promise<number> {
  const found = await tx.maybe<{ seconds: number }>(sql`
    select ceil(extract(epoch from began_at - ${tx.now}::timestamptz))::integer + ${daySeconds} as seconds
    from day_counts
    where subject = ${subject}`);
  return Math.min(Math.max(found?.seconds ?? daySeconds, 1), daySeconds);
}
