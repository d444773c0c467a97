import type { App } from '../../src/app.ts';
import type { MailboxKey } from '../../src/ground/catalog/jobs.ts';
import { requestSync } from '../../src/mail/mailboxes/request-sync.ts';
import { syncMailbox as syncDueMailbox } from '../../src/transport/mailflow/sync/sync-mailbox.ts';

/** Reads the mailbox as after a notification. */
export async function syncMailbox(app: App, mailbox: MailboxKey): Promise<void> {
  await app.db.tx((tx) => requestSync(tx, mailbox));
  await syncDueMailbox(app, mailbox);
}
