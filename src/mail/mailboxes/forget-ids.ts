import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/**
 * Makes the ids of a mailbox's mails mean no mail at the server any more, because other mails have them now. The same
 * mail under another id is known by its bytes. Mails that were set aside are tried at once. Mails that were to be
 * marked or moved stay as they are.
 * @param options.prefix with which the ids begin; default: all of the mailbox
 */
export async function forgetIds(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  { prefix = '' }: { prefix?: string } = {},
): Promise<void> {
  await tx.run(sql`
    update mailbox_mails set provider_id = provider_id || '~' || ${tx.now.getTime()}::text
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and strpos(provider_id, '~') = 0
      and starts_with(provider_id, ${prefix})`);
  await tx.run(sql`
    delete from mailbox_after_intake
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and starts_with(provider_id, ${prefix})`);
  await tx.run(sql`
    update mailbox_stuck_mails set next_attempt_at = ${tx.now}
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId} and starts_with(provider_id, ${prefix})`);
}
