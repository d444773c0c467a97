import { audit } from '../../access/audit/audit.ts';
import { record } from '../../events/activity/record.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Automation } from '../../ground/catalog/doer.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { nilId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { findMailbox } from '../../mail/mailboxes/queries.ts';

/** The automatic mail of a mailbox rests, because a forger or a loop made too much of it. */
export type MachineMailPause = {
  /** Null: mail by SMTP. */
  mailboxId: string | null;
  pausedAt: string;
};

export async function pauseMachineMail(tx: Tx, doer: Automation, mailboxId: string | null): Promise<void> {
  await tx.run(sql`
    insert into machine_mail_pauses (workspace_id, mailbox_id, paused_at)
    values (${doer.workspaceId}, ${mailboxId ?? nilId}, ${tx.now})
    on conflict (workspace_id, mailbox_id) do update set paused_at = excluded.paused_at, resumed_at = null`);
  await record(tx, doer, { type: 'mailbox.automatic_mail_paused', data: { mailboxId } });
}

/**
 * Lets automatic mail of a mailbox leave again, and counts it anew. Does nothing where none rests. Throws 400 for what
 * is no mailbox.
 */
export async function resumeMachineMail(tx: Tx, actor: Actor, mailboxId: string | null): Promise<void> {
  const { workspaceId } = actor;
  if (mailboxId !== null && (await findMailbox(tx, { workspaceId, mailboxId })) === undefined)
    throw invalidRequest({ path: 'body.mailboxId', key: 'not_a_mailbox' });
  const resumed = await tx.run(sql`
    update machine_mail_pauses set resumed_at = ${tx.now}
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId ?? nilId} and resumed_at is null`);
  if (resumed > 0)
    await audit(tx, actor, { type: 'mailbox.automatic_mail_resumed', subjectId: mailboxId ?? workspaceId, data: {} });
}

export async function listMachineMailPauses(db: Queryable, workspaceId: WorkspaceId): Promise<MachineMailPause[]> {
  return db.rows<MachineMailPause>(sql`
    select nullif(mailbox_id, ${nilId}::uuid) as "mailboxId", paused_at as "pausedAt"
    from machine_mail_pauses
    where workspace_id = ${workspaceId} and resumed_at is null
    order by paused_at`);
}
