import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { leaseEnded } from '../../ground/queue/lease.ts';
import type { ProviderFault } from '../provider-fault.ts';
import { reasonOf } from '../providers/mailbox-reasons.ts';
import type { Mailbox, MailboxStatus } from './queries.ts';
import { recordStatusChange } from './record-status.ts';
import { beginAllOf } from './request-sync.ts';
import { nextRetryAt } from './retry-time.ts';

/** Both providers refuse good requests by mistake, so a shorter series of refusals changes nothing. */
const refusedMsMin = 3_600_000;

/**
 * Updates a mailbox's status after a fault of reading, or of the grant, which reading and sending share. Temporary
 * faults change nothing. A mailbox in error is due at its next retry.
 * @param refusedSince when the current series of refused reads began
 * @returns the status
 */
export async function noteReadFault(
  tx: Tx,
  mailbox: Mailbox,
  { fault, refusedSince }: { fault: ProviderFault; refusedSince: Date | null },
): Promise<MailboxStatus> {
  const worse = statusAfter(tx.now, fault, refusedSince);
  const status = worse ?? mailbox.status;
  const isSame = status === mailbox.status;
  const changedAt = isSame ? new Date(mailbox.statusChangedAt) : tx.now;
  if (isSame && status !== 'error') return status;
  // Ignores a fault from before the mailbox was connected again, paused or resumed.
  const noted = await tx.run(sql`
    update mailboxes
    set status = ${status}, status_changed_at = ${changedAt},
      status_reason = case when ${worse !== undefined} then ${fault.message}::text else status_reason end,
      status_reason_key = case when ${worse !== undefined} then ${reasonOf(fault)}::text else status_reason_key end,
      updated_at = case when ${worse !== undefined} then ${tx.now}::timestamptz else updated_at end
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id} and status in ('active', 'error')
      and status_changed_at = ${mailbox.statusChangedAt}`);
  if (noted === 1 && status === 'error')
    await tx.run(sql`
      update mailbox_syncs set due_at = ${nextRetryAt(changedAt, tx.now)}
      where workspace_id = ${mailbox.workspaceId} and mailbox_id = ${mailbox.id}`);
  if (noted === 1 && !isSame) {
    const changed = { field: 'status', from: mailbox.status, to: status, reason: fault.message } as const;
    await recordStatusChange(tx, { ...named(mailbox), ...changed });
  }
  return status;
}

function named({ workspaceId, id: mailboxId }: Mailbox) {
  return { workspaceId, mailboxId };
}

/** @returns undefined when the fault does not change the status */
function statusAfter(
  now: Date,
  { kind, evidence }: ProviderFault,
  refusedSince: Date | null,
): MailboxStatus | undefined {
  if (evidence === 'final') return kind === 'unauthorized' ? 'reauthorization_required' : 'error';
  return evidence === 'denial' && isLong(now, refusedSince) ? 'error' : undefined;
}

function isLong(now: Date, refusedSince: Date | null): boolean {
  return refusedSince !== null && now.getTime() - refusedSince.getTime() >= refusedMsMin;
}

/** Makes a mailbox in error active again after a successful read, and begins the work of an active mailbox. */
export async function noteReadRecovery(tx: Tx, mailbox: Mailbox): Promise<void> {
  const { workspaceId, id, statusChangedAt } = mailbox;
  const recovered = await tx.run(sql`
    update mailboxes
    set status = 'active', status_reason = null, status_reason_key = null, status_changed_at = ${tx.now},
      ${leaseEnded('watch')}, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'error'
      and status_changed_at = ${statusChangedAt}`);
  if (recovered === 0) return;
  const changed = { field: 'status', from: 'error', to: 'active', reason: null } as const;
  await recordStatusChange(tx, { ...named(mailbox), ...changed });
  await beginAllOf(tx, { workspaceId, mailboxId: id });
}

/** Updates a mailbox's send status after a fault of sending. Reading does not depend on it. */
export async function noteSendFault(tx: Tx, mailbox: Mailbox, fault: ProviderFault): Promise<void> {
  if (fault.kind === 'unauthorized') {
    await noteReadFault(tx, mailbox, { fault, refusedSince: null });
    return;
  }
  const { workspaceId, id } = mailbox;
  // A provider that throttles lets the mailbox send.
  if (fault.kind === 'throttled' && mailbox.isSendRefused)
    await tx.run(sql`
      update mailboxes set send_refused_since = null where workspace_id = ${workspaceId} and id = ${id}`);
  // A server that refuses the sender's address refuses every answer.
  const isCertain = fault.kind === 'forbidden' && fault.evidence === 'final';
  if (fault.evidence !== 'denial' && !isCertain) return;
  const { refusedSince } = await tx.one<{ refusedSince: string }>(sql`
    update mailboxes set send_refused_since = coalesce(send_refused_since, ${tx.now})
    where workspace_id = ${workspaceId} and id = ${id}
    returning send_refused_since as "refusedSince"`);
  if (!isCertain && !isLong(tx.now, new Date(refusedSince))) return;
  const begun = await tx.run(sql`
    update mailboxes
    set send_status = 'error', send_status_reason = ${fault.message},
      send_status_reason_key = ${reasonOf(fault)}, send_status_changed_at = ${tx.now}, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${id} and status <> 'disconnected' and send_status = 'active'`);
  if (begun === 0) return;
  const changed = { field: 'sendStatus', from: 'active', to: 'error', reason: fault.message } as const;
  await recordStatusChange(tx, { ...named(mailbox), ...changed });
}

/** Makes a mailbox's send status active again: the provider accepted a mail. */
export async function noteSendSuccess(tx: Tx, mailbox: Mailbox): Promise<void> {
  const { workspaceId, id, sendStatus, isSendRefused } = mailbox;
  if (sendStatus === 'active' && !isSendRefused) return;
  await tx.run(sql`
    update mailboxes set send_refused_since = null where workspace_id = ${workspaceId} and id = ${id}`);
  const recovered = await tx.run(sql`
    update mailboxes
    set send_status = 'active', send_status_reason = null, send_status_reason_key = null,
      send_status_changed_at = ${tx.now}, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${id} and send_status = 'error'`);
  if (recovered === 0) return;
  const changed = { field: 'sendStatus', from: 'error', to: 'active', reason: null } as const;
  await recordStatusChange(tx, { ...named(mailbox), ...changed });
}
