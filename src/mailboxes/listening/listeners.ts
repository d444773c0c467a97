import type { MailboxKey } from '../../catalog/jobs.ts';
import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { listenedKeys } from '../../mail/providers/registry.ts';

/** After a kill, nobody listens to a mailbox for so long. */
const leaseSeconds = 60;

/**
 * Takes mailboxes to which nobody listens. One process listens to a mailbox at a time, by the database's clock, because
 * servers allow few connections.
 */
export function takeListeners(tx: Tx, holder: string, rowsMax: number): Promise<(MailboxKey & { failures: number })[]> {
  return tx.rows<MailboxKey & { failures: number }>(sql`
    insert into mailbox_listeners as l (workspace_id, mailbox_id, holder, held_until)
    select m.workspace_id, m.id, ${holder}, now() + make_interval(secs => ${leaseSeconds})
    from mailboxes m
    left join mailbox_listeners k on k.workspace_id = m.workspace_id and k.mailbox_id = m.id
    where m.status = 'active' and m.provider = any(${listenedKeys}::text[]) and (k.held_until < now()) is not false
    order by k.held_until nulls first
    limit ${rowsMax}
    on conflict (workspace_id, mailbox_id) do update set holder = excluded.holder, held_until = excluded.held_until
    where l.held_until < now()
    returning workspace_id as "workspaceId", mailbox_id as "mailboxId", failures`);
}

/** @returns those that are still ours. The others do not work, were connected again, or have another holder. */
export function renewListeners(tx: Tx, holder: string, held: readonly MailboxKey[]): Promise<MailboxKey[]> {
  return tx.rows<MailboxKey>(sql`
    update mailbox_listeners l set held_until = now() + make_interval(secs => ${leaseSeconds})
    from unnest(
        ${held.map(({ workspaceId }) => workspaceId)}::uuid[], ${held.map(({ mailboxId }) => mailboxId)}::uuid[]
      ) h (workspace_id, mailbox_id),
      mailboxes m
    where l.workspace_id = h.workspace_id and l.mailbox_id = h.mailbox_id and l.holder = ${holder}
      and m.workspace_id = h.workspace_id and m.id = h.mailbox_id and m.status = 'active'
    returning l.workspace_id as "workspaceId", l.mailbox_id as "mailboxId"`);
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
