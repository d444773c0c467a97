import type { Tx } from '../../ground/database/db.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { findMailbox } from '../../mail/mailboxes/queries.ts';

/** Throws 400 if the mailbox is disconnected or belongs to another workspace. */
export async function requireMailbox(tx: Tx, workspaceId: WorkspaceId, mailboxId: string): Promise<void> {
  const mailbox = await findMailbox(tx, { workspaceId, mailboxId });
  if (mailbox !== undefined && mailbox.status !== 'disconnected') return;
  throw invalidRequest({ path: 'body.mailboxId', key: 'not_a_mailbox' });
}
