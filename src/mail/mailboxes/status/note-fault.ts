import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { ProviderFault } from '../../provider-fault.ts';
import { reasonOf } from '../../providers/mailbox-reasons.ts';
import type { Mailbox } from '../queries.ts';
import { beginAllOf } from '../request-sync.ts';
import { nextRetryAt } from './retry-time.ts';
import { isLong, type MailboxEvent, type Reason } from './state.ts';
import { changeState } from './write.ts';

/**
 * Updates a mailbox's status after a fault of reading, or of the grant, which reading and sending share. Temporary
 * faults change nothing. A mailbox in error is due at its next retry. Ignores a fault from before the mailbox was
 * connected again, paused or resumed.
 * @param refusedSince when the current series of refused reads began
 * @returns whether an active mailbox stays so
 */
export async function noteReadFault(
  tx: Tx,
  mailbox: Mailbox,
  { fault, refusedSince }: { fault: ProviderFault; refusedSince: Date | null },
): Promise<boolean> {
  const event = findingOf(fault, refusedSince, tx.now);
  const after = await changeState(tx, named(mailbox), event, { since: mailbox.statusChangedAt });
  if (after?.status.status === 'error')
    await tx.run(sql`
      update mailbox_syncs set due_at = ${nextRetryAt(new Date(after.status.changedAt), tx.now)}
      where workspace_id = ${mailbox.workspaceId} and mailbox_id = ${mailbox.id}`);
  return mailbox.status === 'active' && event.kind === 'fail-on';
}

function named({ workspaceId, id: mailboxId }: Mailbox) {
  return { workspaceId, mailboxId };
}

function findingOf(fault: ProviderFault, refusedSince: Date | null, now: Date): MailboxEvent {
  const { kind, evidence } = fault;
  if (evidence === 'final') return { kind: kind === 'unauthorized' ? 'lose-access' : 'fail', why: whyOf(fault) };
  return evidence === 'denial' && isLong(refusedSince, now) ? { kind: 'fail', why: whyOf(fault) } : { kind: 'fail-on' };
}

function whyOf(fault: ProviderFault): Reason {
  return { reason: fault.message, reasonKey: reasonOf(fault) };
}

/** Makes a mailbox in error active again after a successful read, and begins the work of an active mailbox. */
export async function noteReadRecovery(tx: Tx, mailbox: Mailbox): Promise<void> {
  const recovered = await changeState(tx, named(mailbox), { kind: 'recover' }, { since: mailbox.statusChangedAt });
  if (recovered !== undefined) await beginAllOf(tx, named(mailbox));
}

/** Updates a mailbox's send status after a fault of sending. Reading does not depend on it. */
export async function noteSendFault(tx: Tx, mailbox: Mailbox, fault: ProviderFault): Promise<void> {
  if (fault.kind === 'unauthorized') {
    await noteReadFault(tx, mailbox, { fault, refusedSince: null });
    return;
  }
  if (fault.kind === 'throttled' && mailbox.isSendRefused) await changeState(tx, named(mailbox), { kind: 'throttle' });
  // A server that refuses the sender's address refuses every answer.
  const isCertain = fault.kind === 'forbidden' && fault.evidence === 'final';
  if (fault.evidence === 'denial' || isCertain)
    await changeState(tx, named(mailbox), { kind: 'refuse', why: whyOf(fault), isCertain });
}

/** Makes a mailbox's send status active again: the provider accepted a mail. */
export async function noteSendSuccess(tx: Tx, mailbox: Mailbox): Promise<void> {
  if (mailbox.sendStatus === 'error' || mailbox.isSendRefused)
    await changeState(tx, named(mailbox), { kind: 'accept' });
}
