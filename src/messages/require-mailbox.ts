import type { Tx } from '../database/db.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { findMailbox } from '../mailboxes/queries.ts';

/** Throws 400 if the mailbox is disconnected or belongs to another workspace. */
export async function requireMailbox(tx: Tx, workspaceId: WorkspaceId, mailboxId: string): Promise<void> {
  const mailbox = await findMailbox(tx, { workspaceId, mailboxId });
  if (mailbox !== undefined && mailbox.status !== 'disconnected') return;
  throw invalidRequest({ path: 'body.mailboxId', key: 'not_a_mailbox' });
}
