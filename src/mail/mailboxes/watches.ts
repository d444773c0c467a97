import { createHmac } from 'node:crypto';
import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { isFree } from '../../ground/queue/lease.ts';
import type { Watch } from '../provider.ts';
import { allTraits, type ProviderKey, type ProviderTraits, traitsOf, type WatchTarget } from '../providers/registry.ts';
import { addressRoute } from './address-route.ts';
import { lockMailbox } from './lock-mailbox.ts';
import type { Mailbox } from './queries.ts';
import { renewalRestMs } from './renew-watches.ts';
import { requestSync } from './request-sync.ts';

/** A watch as saved after its last creation or renewal. */
export type KnownWatch = Watch & { renewedAt: Date; targetHash: Buffer };

export async function listWatches(db: Queryable, { workspaceId, mailboxId }: MailboxKey): Promise<KnownWatch[]> {
  const rows = await db.rows<
    Omit<KnownWatch, 'expiresAt' | 'renewedAt'> & { expiresAt: string; renewedAt: string }
  >(sql`
    select watch_key as key, subscription_id as "subscriptionId", expires_at as "expiresAt", renewed_at as "renewedAt",
      target_hash as "targetHash"
    from mailbox_watches
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    order by watch_key`);
  return rows.map((row) => ({ ...row, expiresAt: new Date(row.expiresAt), renewedAt: new Date(row.renewedAt) }));
}

/** Where providers send notifications. `hash` identifies the target without revealing its secret. */
export type Target = WatchTarget & { hash: Buffer };

export function targetOf(config: Parameters<ProviderTraits['watchTarget']>[0], provider: ProviderKey): Target {
  const target = traitsOf(provider).watchTarget(config);
  return { ...target, hash: createHmac('sha256', config.authSecret).update(JSON.stringify(target)).digest() };
}

/**
 * Lists the active mailboxes that lack a watch, or have one that leads elsewhere or is to be renewed: it is 20 hours
 * old, or half of its time is over if that is sooner. Nobody can watch a shared mailbox. The rest after a renewal keeps
 * a watch of minutes from being due all the time.
 */
export function listDueWatches(
  config: Parameters<typeof targetOf>[0],
  db: Queryable,
  { now, within, except, rowsMax }: DueScope,
): Promise<DueRow[]> {
  const keys = allTraits.map(({ key }) => key);
  const hashes = keys.map((key) => targetOf(config, key).hash);
  return db.rows<DueRow>(sql`
    select m.workspace_id as "workspaceId", m.id
    from mailboxes m
    join unnest(${keys}::text[], ${hashes}::bytea[], ${allTraits.map(({ watches }) => watches)}::int[])
      p (provider, hash, watches) on p.provider = m.provider
    where m.status = 'active' and m.delegate_address is null and ${isFree('watch', 'm')}
      ${within(sql`m.workspace_id`)} ${except(sql`m.id`)}
      and p.watches > (
        select count(*) from mailbox_watches w
        where w.workspace_id = m.workspace_id and w.mailbox_id = m.id and w.target_hash = p.hash
          and w.expires_at > ${now}
          and w.renewed_at + greatest(
            least(interval '20 hours', (w.expires_at - w.renewed_at) / 2),
            make_interval(secs => ${renewalRestMs / 1_000})
          ) > ${now}::timestamptz
      )
    limit ${rowsMax}`);
}

/**
 * Saves a watch and its route, so that notifications find the mailbox. Requests a sync for earlier mail.
 * @returns false when the mailbox was disconnected meanwhile; then nothing is saved
 */
export async function saveWatch(tx: Tx, mailbox: Mailbox, watch: Watch, { hash }: Target): Promise<boolean> {
  const { workspaceId, id: mailboxId, provider, address } = mailbox;
  if (!(await lockMailbox(tx, { workspaceId, mailboxId }))) return false;
  const [, , subscriptions] = await together([
    requestSync(tx, { workspaceId, mailboxId }),
    tx.run(sql`
      insert into mailbox_watches (workspace_id, mailbox_id, watch_key, subscription_id, target_hash, expires_at,
        renewed_at)
      values (${workspaceId}, ${mailboxId}, ${watch.key}, ${watch.subscriptionId}, ${hash}, ${watch.expiresAt},
        ${tx.now})
      on conflict (workspace_id, mailbox_id, watch_key) do update
      set subscription_id = excluded.subscription_id, target_hash = excluded.target_hash,
        expires_at = excluded.expires_at, renewed_at = excluded.renewed_at`),
    tx.rows<{ id: string }>(sql`
      select subscription_id as id
      from mailbox_watches
      where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and subscription_id is not null`),
    tx.run(sql`
      insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id, watch_key)
      select ${provider}::text, ${watch.subscriptionId}::text, ${workspaceId}::uuid, ${mailboxId}::uuid,
        ${watch.key}::text
      where ${watch.subscriptionId}::text is not null
      on conflict (provider, route_key) do nothing`),
  ]);
  // Apart from the query, because a cluster has routes and watches on different nodes (src/ground/catalog/tables/).
  const keptRoutes = [addressRoute(provider, address), ...subscriptions.map(({ id }) => id)];
  await tx.run(sql`
    delete from mailbox_routes
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and route_key <> all(${keptRoutes}::text[])`);
  return true;
}
