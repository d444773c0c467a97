import { audit } from '../../../access/audit/audit.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { type AfterIntake, type ServerFolders, sentFolderNo } from '../../provider.ts';
import { forgetIds } from '../forget-ids.ts';
import { forgetListener } from '../listening/listeners.ts';
import { lockMailbox } from '../lock-mailbox.ts';
import { requestSync } from '../request-sync.ts';
import { withPlaces } from './servers.ts';

/**
 * Chooses the folders that are read, and what becomes of taken mail there. New mail of a new folder is read from now
 * on; its mail of the last days is found by the daily comparison. Throws 404.
 */
export async function chooseFolders(
  tx: Tx,
  actor: Actor,
  { mailboxId, inboxPaths, sentPath, afterIntake, movePath }: { mailboxId: string } & ServerFolders & AfterIntake,
): Promise<void> {
  const { workspaceId } = actor;
  const mailbox = { workspaceId, mailboxId };
  if (!(await lockMailbox(tx, mailbox))) throw new AppError('mailbox.not_found');
  const row = await tx.maybe<{ inboxPaths: string[]; sentPath: string | null; afterIntake: string }>(sql`
    select inbox_paths as "inboxPaths", sent_path as "sentPath", after_intake as "afterIntake" from mailbox_servers
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}
    for update`);
  if (row === undefined) throw new AppError('mailbox.not_found');
  await tx.run(sql`
    update mailbox_servers
    set inbox_paths = ${withPlaces(row.inboxPaths, inboxPaths)}::text[],
      sent_path = ${sentPath},
      -- What was learned holds for one folder: another may get no copies.
      sent_copy_learned = case when sent_path is not distinct from ${sentPath} then sent_copy_learned end,
      after_intake = ${afterIntake}, move_path = ${movePath}
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  // The mails of another folder of sent mail may have the same ids as mails that were taken.
  if (row.sentPath !== sentPath) await forgetIds(tx, mailbox, { prefix: `${sentFolderNo}.` });
  if (afterIntake === 'leave')
    await tx.run(sql`
      delete from mailbox_after_intake where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  await forgetListener(tx, mailbox);
  await requestSync(tx, mailbox);
  const changed = [
    'inboxPaths',
    ...(row.sentPath === sentPath ? [] : ['sentPath']),
    ...(row.afterIntake === afterIntake ? [] : ['afterIntake']),
  ];
  await audit(tx, actor, { type: 'mailbox.changed', subjectId: mailboxId, data: { changed } });
}
