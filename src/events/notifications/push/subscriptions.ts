import { refreshTokenDays } from '../../../access/accounts/start-session.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import { type Queryable, type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';

/** Where a browser gets notifications while no page is open, and its keys in base64url (RFC 8030, RFC 8291). */
export type PushTarget = { endpoint: string; p256dh: string; auth: string };
export type PushSubscription = PushTarget & { sessionId: string; hasSecondFactor: boolean };

const perUserMax = 20;

/** Keeps the subscription of a session's browser, in place of what the session or the browser had before. */
export async function keepPushSubscription(
  tx: Tx,
  { userId, sessionId }: Pick<Principal, 'userId' | 'sessionId'>,
  { endpoint, p256dh, auth }: PushTarget,
): Promise<void> {
  await together([
    // Somebody else may have used the browser before, and not signed out.
    tx.run(sql`delete from push_subscriptions where endpoint = ${endpoint} and session_id <> ${sessionId}`),
    tx.run(sql`
      insert into push_subscriptions (session_id, user_id, endpoint, p256dh, auth, created_at)
      values (${sessionId}, ${userId}, ${endpoint}, ${p256dh}, ${auth}, ${tx.now})
      on conflict (session_id) do update
      set endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth`),
    tx.run(sql`
      delete from push_subscriptions
      where session_id in (
        select session_id from push_subscriptions
        where user_id = ${userId}
        order by created_at desc, session_id desc
        offset ${perUserMax})`),
  ]);
}

/** The endpoint of this session's browser, if it has a subscription. */
export async function readOwnEndpoint(db: Queryable, { sessionId }: Pick<Principal, 'sessionId'>) {
  const kept = await db.maybe<{ endpoint: string }>(sql`
    select endpoint from push_subscriptions where session_id = ${sessionId}`);
  return kept?.endpoint ?? null;
}

/** The subscriptions of a user's browsers that are still signed in. */
export function listPushSubscriptions(
  db: Queryable,
  { userId, now }: { userId: UserId; now: Date },
): Promise<PushSubscription[]> {
  return db.rows<PushSubscription>(sql`
    select p.session_id as "sessionId", p.endpoint, p.p256dh, p.auth,
      s.second_factor_at is not null as "hasSecondFactor"
    from push_subscriptions p
    join sessions s on s.id = p.session_id
    where p.user_id = ${userId} and s.ended_at is null
      and s.last_used_at > ${now}::timestamptz - make_interval(days => ${refreshTokenDays}::int)
    order by p.session_id`);
}

/** Drops subscriptions, except one that its browser has renewed since. */
export async function dropPushSubscriptions(
  tx: Tx,
  gone: readonly Pick<PushSubscription, 'sessionId' | 'endpoint'>[],
): Promise<void> {
  if (gone.length === 0) return;
  await tx.run(sql`
    delete from push_subscriptions
    where (session_id, endpoint) in (
      select * from unnest(${gone.map(({ sessionId }) => sessionId)}::uuid[],
        ${gone.map(({ endpoint }) => endpoint)}::text[]))`);
}

export async function dropPushSubscriptionOf(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(sql`delete from push_subscriptions where session_id = ${sessionId}`);
}
