import type { App } from '../app.ts';
import type { Jobs } from '../catalog/jobs.ts';
import { sql } from '../platform/sql.ts';
import { enqueueIngest } from './mail-in.ts';
import { takePendingMails } from './take-pending.ts';

/** Takes in what came for a workspace by SMTP, until nothing waits. May run beside another: each mail is taken once. */
export async function ingestPendingMails(app: App, { workspaceId }: Jobs['mail.ingest']): Promise<void> {
  const source = {
    workspaceId,
    origin: 'live',
    via: 'smtp',
    mailboxId: null,
    receivedAt: app.clock.now(),
  } as const;
  for await (const outcomes of takePendingMails(app, source)) {
    const quarantined = outcomes.filter(({ kind }) => kind === 'quarantined').length;
    if (quarantined > 0)
      app.log.warn({ workspaceId, quarantined }, 'mails could not be read: they are in the quarantine');
  }
}

/** Gives a job to mails that have lost theirs: it was given up, or a backup of the queue is older than that of the mails. */
export async function resumePendingMails({ db }: Pick<App, 'db'>): Promise<void> {
  const waiting = await db.rows<{ workspaceId: string }>(sql`
    select distinct workspace_id as "workspaceId" from raw_mails where state = 'pending' and source = 'smtp'`);
  for (const { workspaceId } of waiting) await db.tx((tx) => enqueueIngest(tx, workspaceId));
}
