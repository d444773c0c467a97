import type { App } from '../../app.ts';
import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { isFree, leaseEnded } from '../../ground/queue/lease.ts';
import type { Watch } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { addressRoute } from './address-route.ts';
import { openAccount } from './open-account.ts';
import { findMailbox, type Mailbox } from './queries.ts';
import { beginWatching } from './watch-mailbox.ts';
import { listWatches } from './watches.ts';

/** How long a provider that is out of reach is asked again. */
const patienceMs = 24 * 3_600_000;

/** Lists the disconnected mailboxes that still have credentials or watches. */
export function listUnstopped(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select m.workspace_id as "workspaceId", m.id
    from mailboxes m
    where m.status = 'disconnected' and ${isFree('watch', 'm')} and (
        m.refresh_token is not null
        or exists (select from mailbox_servers s where s.workspace_id = m.workspace_id and s.mailbox_id = m.id)
        or exists (select from mailbox_watches w where w.workspace_id = m.workspace_id and w.mailbox_id = m.id)
      ) ${within(sql`m.workspace_id`)} ${except(sql`m.id`)}
    limit ${rowsMax}`);
}

/**
 * Ends a disconnected mailbox's watches at the provider, and deletes its credentials. Deletes them even when the
 * provider refuses them or stays out of reach. A remaining watch then expires by itself. Throws when the provider is
 * out of reach for now: the mailbox is due again when its lease expires.
 */
export async function stopMailbox(app: App, named: MailboxKey): Promise<void> {
  const mailbox = await findMailbox(app.db, named);
  if (mailbox?.status !== 'disconnected' || !(await app.db.tx((tx) => beginWatching(tx, mailbox)))) return;
  const watches = await listWatches(app.db, named);
  try {
    const account = openAccount(app, mailbox);
    for (const watch of watches) if (await isOurs(app.db, mailbox, watch)) await account.stopWatch(watch);
  } catch (error) {
    const isFinal = error instanceof ProviderFault && error.kind !== 'throttled' && error.kind !== 'unavailable';
    if (!isFinal && app.clock.now().getTime() - Date.parse(mailbox.statusChangedAt) < patienceMs) throw error;
    app.log.warn({ ...named, err: error }, 'a disconnected mailbox is still watched for some days');
  }
  await app.db.tx((tx) => forgetMailbox(tx, mailbox, watches));
}

/**
 * Gmail's watch has no id and belongs to the address. If the address is connected again, that mailbox uses the watch.
 */
async function isOurs(db: Queryable, { provider, address }: Mailbox, { subscriptionId }: Watch): Promise<boolean> {
  if (subscriptionId !== null) return true;
  const route = await db.maybe(sql`
    select 1 from mailbox_routes where provider = ${provider} and route_key = ${addressRoute(provider, address)}`);
  return route === undefined;
}

async function forgetMailbox(
  tx: Tx,
  { workspaceId, id, statusChangedAt }: Mailbox,
  stopped: readonly Watch[],
): Promise<void> {
  const forgotten = await tx.run(sql`
    update mailboxes
    set refresh_token = null, access_token = null, access_expires_at = null
    where workspace_id = ${workspaceId} and id = ${id} and status_changed_at = ${statusChangedAt}`);
  if (forgotten === 1)
    await tx.run(sql`delete from mailbox_servers where workspace_id = ${workspaceId} and mailbox_id = ${id}`);
  else {
    // Somebody connected the mailbox again meanwhile, so a stopped watch may be the new one. Due work makes another.
    await tx.run(sql`update mailboxes set ${leaseEnded('watch')} where workspace_id = ${workspaceId} and id = ${id}`);
    tx.touch(workspaceId);
  }
  await tx.run(sql`
    delete from mailbox_watches w
    using unnest(
        ${stopped.map(({ key }) => key)}::text[],
        ${stopped.map(({ subscriptionId }) => subscriptionId)}::text[]
      ) s (watch_key, subscription_id)
    where w.workspace_id = ${workspaceId} and w.mailbox_id = ${id} and w.watch_key = s.watch_key
      and w.subscription_id is not distinct from s.subscription_id`);
}
