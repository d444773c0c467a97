import { audit } from '../../audit/audit.ts';
import type { Actor } from '../../catalog/actor.ts';
import type { Tx } from '../../database/db.ts';
import { sql } from '../../database/sql.ts';
import { AppError } from '../../lib/errors.ts';
import { forgetListener } from '../listening/listeners.ts';
import { lockMailbox } from '../lock-mailbox.ts';
import { requestSync } from '../request-sync.ts';
import { withPlaces } from './servers.ts';

/**
 * Chooses the folders that are read. New mail of a new folder is read from now on; its mail of the last days is found
 * by the daily comparison. Throws 404.
 */
export async function chooseFolders(
  tx: Tx,
  actor: Actor,
  { mailboxId, inboxPaths, sentPath }: { mailboxId: string; inboxPaths: string[]; sentPath?: string | null },
): Promise<void> {
  const { workspaceId } = actor;
  const mailbox = { workspaceId, mailboxId };
  if ((await lockMailbox(tx, mailbox)) === undefined) throw new AppError('mailbox.not_found');
  const row = await tx.maybe<{ inboxPaths: string[] }>(sql`
    select inbox_paths as "inboxPaths" from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    for update`);
  if (row === undefined) throw new AppError('mailbox.not_found');
  await tx.run(sql`
    update mailbox_servers
    set inbox_paths = ${withPlaces(row.inboxPaths, inboxPaths)}::text[],
      sent_path = case when ${sentPath !== undefined} then ${sentPath ?? null}::text else sent_path end
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  await forgetListener(tx, mailbox);
  await requestSync(tx, mailbox);
  await audit(tx, actor, { type: 'mailbox.changed', subjectId: mailboxId, data: { changed: ['inboxPaths'] } });
}
