import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/**
 * Locks a connected mailbox until the commit. All transactions lock the mailbox first, then its sync, then its watches,
 * mails and jobs, so that no two deadlock. May share a round trip.
 * @returns false if there is none
 */
export async function lockMailbox(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<boolean> {
  const locked = await tx.maybe(sql`
    select from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId} and status <> 'disconnected'
    for no key update`);
  return locked !== undefined;
}
