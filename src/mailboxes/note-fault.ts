import type { ProviderFault, ProviderFaultKind } from '../mail/provider.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Mailbox, MailboxStatus } from './queries.ts';

/** What stays as it is until somebody acts. All else passes by itself, or concerns one mail. */
const lastingFaults: Partial<Record<ProviderFaultKind, MailboxStatus>> = {
  unauthorized: 'reauthorization_required',
  forbidden: 'error',
  misconfigured: 'error',
};

/**
 * Shows on the mailbox what its people or the operator must do (unauthorized, forbidden, misconfigured); what passes by
 * itself changes nothing. @returns whether it is of use to try again
 */
export async function noteFault(tx: Tx, mailbox: Mailbox, fault: ProviderFault): Promise<boolean> {
  const status = lastingFaults[fault.kind];
  if (status === undefined) return true;
  // A fault of before it was connected anew, paused or resumed says nothing of what is now.
  await tx.run(sql`
    update mailboxes
    set status = ${status}, status_reason = ${fault.message}, updated_at = ${tx.now},
      status_changed_at = case when status = ${status} then status_changed_at else ${tx.now}::timestamptz end
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id} and status in ('active', 'error')
      and status_changed_at = ${mailbox.statusChangedAt}`);
  return false;
}
