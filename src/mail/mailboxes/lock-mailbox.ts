import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Mailbox } from './queries.ts';

export type LockedMailbox = Pick<Mailbox, 'id' | 'address' | 'status' | 'sendStatus'>;

/**
 * Locks a connected mailbox until the commit. All transactions lock the mailbox first, then its sync, then its watches,
 * mails and jobs, so that no two deadlock. May share a round trip.
 */
export function lockMailbox(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<LockedMailbox | undefined> {
  return tx.maybe<LockedMailbox>(sql`
    select id, address, status, send_status as "sendStatus" from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId} and status <> 'disconnected'
    for no key update`);
}
