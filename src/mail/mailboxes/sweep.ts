import type { App } from '../../app.ts';
import { sql } from '../../ground/database/sql.ts';
import { type Sweep, sweepAll } from '../../ground/database/sweep.ts';
import { resealCredentials } from './sealed-credentials.ts';
import { sweepSignIns } from './servers/sign-ins.ts';
import { remindOfTroubles } from './status/troubles.ts';

/** Reminds of mailboxes that do not work, and clears away what nobody needs any more. */
export async function sweepMailboxes(app: App): Promise<void> {
  await remindOfTroubles(app);
  await resealCredentials(app.db, app.seal);
  await sweepAll(app.db, [sweepConsents, sweepSignIns]);
}

const sweepConsents: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from mailbox_consents
    where ctid = any(array(select ctid from mailbox_consents where expires_at <= ${tx.now} limit ${rowsMax}))`);
