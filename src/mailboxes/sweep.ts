import type { App } from '../app.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { type Sweep, sweepAll } from '../database/sweep.ts';
import { nilId, type WorkspaceId } from '../lib/ids.ts';
import { allTraits, type ProviderKey } from '../mail/providers/registry.ts';
import { enqueueAll, type KeyedJob } from '../queue/enqueue.ts';
import { openAccount } from './open-account.ts';
import { remindOfTroubles } from './record-status.ts';
import { watchJobKey } from './request-sync.ts';
import { resealCredentials } from './sealed-credentials.ts';
import { sweepSignIns } from './servers/sign-ins.ts';
import { targetOf } from './watches.ts';

/** Queues renewals of watches that are about to expire, and reminds of mailboxes that do not work. */
export async function sweepMailboxes(app: App): Promise<void> {
  let last: DueMailbox | undefined;
  do {
    const due = await app.db.tx((tx) => enqueueWatches(tx, app, last));
    last = due.length < batchMax ? undefined : due.at(-1);
  } while (last !== undefined);
  await remindOfTroubles(app);
  await resealCredentials(app.db, app.seal);
  await sweepAll(app.db, [sweepConsents, sweepSignIns]);
}

const batchMax = 500;

type DueMailbox = {
  workspaceId: WorkspaceId;
  id: string;
  provider: ProviderKey;
  address: string;
  delegateAddress: string | null;
  /** Keys of the watches that need no renewal yet. */
  watched: string[];
};

/** A watch is renewed once it is 20 hours old, or once half of its time is over if that is sooner. */
async function enqueueWatches(tx: Tx, app: App, last: DueMailbox | undefined): Promise<DueMailbox[]> {
  const keys = allTraits.map(({ key }) => key);
  const hashes = keys.map((key) => targetOf(app.config, key).hash);
  const mailboxes = await tx.rows<DueMailbox>(sql`
    select m.workspace_id as "workspaceId", m.id, m.provider, m.address, m.delegate_address as "delegateAddress",
      array(
        select w.watch_key
        from mailbox_watches w
        where w.workspace_id = m.workspace_id and w.mailbox_id = m.id
          and w.target_hash = (${hashes}::bytea[])[array_position(${keys}::text[], m.provider)]
          and w.renewed_at + least(interval '20 hours', (w.expires_at - w.renewed_at) / 2) > ${tx.now}::timestamptz
      ) as watched
    from mailboxes m
    where m.status = 'active' and (m.watch_until < now()) is not false and m.provider = any(${keys}::text[])
      and (m.workspace_id, m.id) > (${last?.workspaceId ?? nilId}::uuid, ${last?.id ?? nilId}::uuid)
    order by m.workspace_id, m.id
    limit ${batchMax}`);
  const jobs = mailboxes.flatMap((mailbox): KeyedJob[] => {
    const { workspaceId, id: mailboxId } = mailbox;
    if (openAccount(app, mailbox).watchKeys.every((key) => mailbox.watched.includes(key))) return [];
    const payload = { workspaceId, mailboxId };
    return [{ name: 'mailbox.watch', payload, key: watchJobKey(mailboxId), correlationId: undefined }];
  });
  if (jobs.length > 0) await enqueueAll(tx, jobs);
  return mailboxes;
}

const sweepConsents: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from mailbox_consents
    where ctid = any(array(select ctid from mailbox_consents where expires_at <= ${tx.now} limit ${rowsMax}))`);
