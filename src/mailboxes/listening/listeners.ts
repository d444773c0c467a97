import type { MailboxKey } from '../../catalog/jobs.ts';
import type { Tx } from '../../database/db.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { listenedKeys } from '../../mail/providers/registry.ts';

/** After a kill, nobody listens to a mailbox for so long. */
const leaseSeconds = 60;

/**
 * Takes mailboxes to which nobody listens. One process listens to a mailbox at a time, by the database's clock, because
 * servers allow few connections. Three statements, because Citus takes no `now()` in an upsert.
 */
export async function takeListeners(
  tx: Tx,
  holder: string,
  rowsMax: number,
): Promise<(MailboxKey & { failures: number })[]> {
  await tx.run(sql`
    insert into mailbox_listeners (workspace_id, mailbox_id, held_until)
    select m.workspace_id, m.id, '-infinity'
    from mailboxes m
    left join mailbox_listeners k on k.workspace_id = m.workspace_id and k.mailbox_id = m.id
    where m.status = 'active' and m.provider = any(${listenedKeys}::text[]) and k.mailbox_id is null
    on conflict (workspace_id, mailbox_id) do nothing`);
  const free = await tx.rows<MailboxKey>(sql`
    select l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId"
    from mailbox_listeners l
    join mailboxes m on m.workspace_id = l.workspace_id and m.id = l.mailbox_id
    where l.held_until < now() and m.status = 'active' and m.provider = any(${listenedKeys}::text[])
    order by l.held_until
    limit ${rowsMax}`);
  if (free.length === 0) return [];
  // Another process may have taken some meanwhile.
  return tx.rows<MailboxKey & { failures: number }>(sql`
    update mailbox_listeners l set holder = ${holder}, held_until = now() + make_interval(secs => ${leaseSeconds})
    from ${keyed(free)}
    where l.workspace_id = h.workspace_id and l.mailbox_id = h.mailbox_id and l.held_until < now()
    returning l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId", l.failures`);
}

/**
 * @returns the mailboxes that this holder still has. The rest do not work, were connected again, or have another
 * holder.
 */
export function renewListeners(tx: Tx, holder: string, held: readonly MailboxKey[]): Promise<MailboxKey[]> {
  return tx.rows<MailboxKey>(sql`
    update mailbox_listeners l set held_until = now() + make_interval(secs => ${leaseSeconds})
    from ${keyed(held)}, mailboxes m
    where l.workspace_id = h.workspace_id and l.mailbox_id = h.mailbox_id and l.holder = ${holder}
      and m.workspace_id = h.workspace_id and m.id = h.mailbox_id and m.status = 'active'
    returning l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId"`);
}

/** The keys of mailboxes as rows of `h`. */
function keyed(mailboxes: readonly MailboxKey[]): Sql {
  return sql`unnest(
    ${mailboxes.map(({ workspaceId }) => workspaceId)}::uuid[], ${mailboxes.map(({ mailboxId }) => mailboxId)}::uuid[]
  ) h (workspace_id, mailbox_id)`;
}

/** Lets anybody listen after a rest, unless another process does already. */
export async function leaveListener(
  tx: Tx,
  holder: string,
  { workspaceId, mailboxId }: MailboxKey,
  { restSeconds, failures }: { restSeconds: number; failures: number },
): Promise<void> {
  await tx.run(sql`
    update mailbox_listeners
    set holder = null, held_until = now() + make_interval(secs => ${restSeconds}), failures = ${failures}
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and holder = ${holder}`);
}

/** Makes the process that listens with a former access stop, and any process begin. May share a round trip. */
export async function forgetListener(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<void> {
  await tx.run(sql`
    delete from mailbox_listeners where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}
