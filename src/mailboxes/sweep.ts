import type { App } from '../app.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { type Sweep, sweepAll } from '../database/sweep.ts';
import { nilId, type WorkspaceId } from '../lib/ids.ts';
import { allTraits, type ProviderKey } from '../mail/providers/registry.ts';
import { enqueueAll, type KeyedJob } from '../queue/enqueue.ts';
import { syncJobKey, watchJobKey } from './enqueue-sync.ts';
import { openAccount } from './open-account.ts';
import { remindOfTroubles } from './record-status.ts';
import { resealCredentials } from './sealed-credentials.ts';
import { targetOf } from './watches.ts';

/**
 * Catches what no event reports: mail whose notification was lost, watches about to expire, and mailboxes in error
 * whose job was lost.
 */
export async function sweepMailboxes(app: App): Promise<void> {
  let last: DueMailbox | undefined;
  do {
    const due = await app.db.tx((tx) => enqueueDue(tx, app, last));
    last = due.length < batchMax ? undefined : due.at(-1);
  } while (last !== undefined);
  await remindOfTroubles(app);
  await resealCredentials(app.db, app.seal);
  await sweepAll(app.db, [sweepConsents]);
}

const batchMax = 500;

type DueMailbox = {
  workspaceId: WorkspaceId;
  id: string;
  provider: ProviderKey;
  address: string;
  delegateAddress: string | null;
  isSyncDue: boolean;
  isWatchDue: boolean;
  /** Keys of the watches that need no renewal yet. */
  watched: string[];
};

/** A watch is renewed once it is 20 hours old, or once half of its time is over if that is sooner. */
async function enqueueDue(tx: Tx, app: App, last: DueMailbox | undefined): Promise<DueMailbox[]> {
  const keys = allTraits.map(({ key }) => key);
  const hashes = keys.map((key) => targetOf(app.config, key).hash);
  const mailboxes = await tx.rows<DueMailbox>(sql`
    select m.workspace_id as "workspaceId", m.id, m.provider, m.address, m.delegate_address as "delegateAddress",
      case m.status when 'error' then coalesce(m.retry_at <= ${tx.now}::timestamptz, true)
        else coalesce(s.synced_at < ${tx.now}::timestamptz - interval '3 minutes', true) end
        and coalesce(s.not_before < ${tx.now}::timestamptz, true)
        and coalesce(s.lease_until < now(), true) as "isSyncDue",
      coalesce(m.watch_until < now(), true) and m.status = 'active' as "isWatchDue",
      array(
        select w.watch_key
        from mailbox_watches w
        where w.workspace_id = m.workspace_id and w.mailbox_id = m.id
          and w.target_hash = (${hashes}::bytea[])[array_position(${keys}::text[], m.provider)]
          and w.renewed_at + least(interval '20 hours', (w.expires_at - w.renewed_at) / 2) > ${tx.now}::timestamptz
      ) as watched
    from mailboxes m
    left join mailbox_syncs s on s.workspace_id = m.workspace_id and s.mailbox_id = m.id
    where m.status in ('active', 'error') and m.provider = any(${keys}::text[])
      and (m.workspace_id, m.id) > (${last?.workspaceId ?? nilId}::uuid, ${last?.id ?? nilId}::uuid)
    order by m.workspace_id, m.id
    limit ${batchMax}`);
  const jobs = mailboxes.flatMap((mailbox): KeyedJob[] => {
    const { workspaceId, id: mailboxId } = mailbox;
    const named = { payload: { workspaceId, mailboxId }, correlationId: undefined };
    const isWatched = openAccount(app, mailbox).watchKeys.every((key) => mailbox.watched.includes(key));
    return [
      ...(mailbox.isSyncDue ? [{ ...named, name: 'mailbox.sync' as const, key: syncJobKey(mailboxId) }] : []),
      ...(mailbox.isWatchDue && !isWatched
        ? [{ ...named, name: 'mailbox.watch' as const, key: watchJobKey(mailboxId) }]
        : []),
    ];
  });
  if (jobs.length > 0) await enqueueAll(tx, jobs);
  return mailboxes;
}

const sweepConsents: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from mailbox_consents
    where ctid = any(array(select ctid from mailbox_consents where expires_at <= ${tx.now} limit ${rowsMax}))`);
