import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { isFree, isHeld, leaseColumn, leasedFor } from '../../../ground/queue/lease.ts';
import { listenedKeys } from '../../providers/registry.ts';

/**
 * Takes mailboxes to which nobody listens. One process listens to a mailbox at a time, by the database's clock, because
 * servers allow few connections. Three statements, because Citus takes no `now()` in an upsert.
 * @param within null for all workspaces
 */
export async function takeListeners(
  tx: Tx,
  holder: string,
  { within, rowsMax }: { within: readonly WorkspaceId[] | null; rowsMax: number },
): Promise<(MailboxKey & { failures: number })[]> {
  const inScope = within === null ? emptySql : sql`and m.workspace_id = any(${within}::uuid[])`;
  await tx.run(sql`
    insert into mailbox_listeners (workspace_id, mailbox_id, held_until)
    select m.workspace_id, m.id, '-infinity'
    from mailboxes m
    left join mailbox_listeners k on k.workspace_id = m.workspace_id and k.mailbox_id = m.id
    where m.status = 'active' and m.provider = any(${listenedKeys}::text[]) and k.mailbox_id is null ${inScope}
    on conflict (workspace_id, mailbox_id) do nothing`);
  const free = await tx.rows<MailboxKey>(sql`
    select l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId"
    from mailbox_listeners l
    join mailboxes m on m.workspace_id = l.workspace_id and m.id = l.mailbox_id
    where ${isFree('listener', 'l')} and m.status = 'active' and m.provider = any(${listenedKeys}::text[])
      ${inScope}
    order by l.${leaseColumn('listener', 'until')}
    limit ${rowsMax}`);
  if (free.length === 0) return [];
  // Another process may have taken some meanwhile.
  return tx.rows<MailboxKey & { failures: number }>(sql`
    update mailbox_listeners l set ${leaseColumn('listener', 'holder')} = ${holder}, ${leasedFor('listener')}
    from unnest(
      ${free.map(({ workspaceId }) => workspaceId)}::uuid[], ${free.map(({ mailboxId }) => mailboxId)}::uuid[]
    ) h (workspace_id, mailbox_id)
    where l.workspace_id = h.workspace_id and l.mailbox_id = h.mailbox_id and ${isFree('listener', 'l')}
    returning l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId", l.failures`);
}

/** A mailbox, and the listening that has it: each has a holder of its own. */
type HeldKey = MailboxKey & { holder: string };

/** @returns those that are still held. The rest do not work, were connected again, or have another holder. */
export function renewListeners(tx: Tx, held: readonly HeldKey[]): Promise<HeldKey[]> {
  return tx.rows<HeldKey>(sql`
    update mailbox_listeners l set ${leasedFor('listener')}
    from unnest(
      ${held.map(({ workspaceId }) => workspaceId)}::uuid[], ${held.map(({ mailboxId }) => mailboxId)}::uuid[],
      ${held.map(({ holder }) => holder)}::uuid[]
    ) h (workspace_id, mailbox_id, holder), mailboxes m
    where l.workspace_id = h.workspace_id and l.mailbox_id = h.mailbox_id
      and l.${leaseColumn('listener', 'holder')} = h.holder
      and m.workspace_id = h.workspace_id and m.id = h.mailbox_id and m.status = 'active'
    returning l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId", l.holder`);
}

/** Lets anybody listen after a rest, unless another process does already. */
export async function leaveListener(
  tx: Tx,
  holder: string,
  { workspaceId, mailboxId }: MailboxKey,
  { restSeconds, failures }: { restSeconds: number; failures: number },
): Promise<void> {
  await tx.run(sql`
    update mailbox_listeners l
    set ${leaseColumn('listener', 'holder')} = null, ${leasedFor('listener', restSeconds)}, failures = ${failures}
    where ${isHeld('listener', { workspaceId, id: mailboxId, holder })}`);
}

/** Makes the process that listens with a former access stop, and any process begin. May share a round trip. */
export async function forgetListener(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  await tx.run(sql`
    delete from mailbox_listeners where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}
