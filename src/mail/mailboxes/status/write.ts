/** The only writer of a mailbox's state: whether it reads and sends, and why not. */

import { audit } from '../../../access/audit/audit.ts';
import { record } from '../../../events/activity/record.ts';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { leaseEnded } from '../../../ground/queue/lease.ts';
import { changesBetween, type MailboxEvent, type MailboxState, nextState } from './state.ts';

type Circumstances = {
  /** When the status changed that the event is about: a later change makes the event void. */
  since?: string;
  /** The member whose request it is, which has its own entry in the audit log; undefined: the service. */
  userId?: UserId;
};

/**
 * Changes a mailbox's state, if `state.ts` allows the event. Records each change of a status in the same transaction:
 * when a mailbox stops reading or sending, the workspace's owners and admins are notified.
 * @returns the new state; undefined if the event is refused
 */
export async function changeState(
  tx: Tx,
  { workspaceId, mailboxId }: MailboxKey,
  event: MailboxEvent,
  { since, userId }: Circumstances = {},
): Promise<MailboxState | undefined> {
  const before = await lockState(tx, { workspaceId, mailboxId });
  const isVoid = since !== undefined && Date.parse(since) !== Date.parse(before?.status.changedAt ?? '');
  const after = before && !isVoid ? nextState(before, event, tx.now) : undefined;
  if (before === undefined || after === undefined) return undefined;
  const { status, sendStatus } = after;
  const changes = changesBetween(before, after);
  // Nobody is still at work for the former status.
  const isAnew = status.changedAt !== before.status.changedAt;
  await tx.run(sql`
    update mailboxes
    set status = ${status.status}, status_reason = ${status.reason}, status_reason_key = ${status.reasonKey},
      status_changed_at = ${status.changedAt}, status_told_at = ${status.toldAt},
      send_status = ${sendStatus.status}, send_status_reason = ${sendStatus.reason},
      send_status_reason_key = ${sendStatus.reasonKey}, send_status_changed_at = ${sendStatus.changedAt},
      send_status_told_at = ${sendStatus.toldAt}, send_refused_since = ${sendStatus.refusedSince}
      ${isAnew ? sql`, ${leaseEnded('watch')}` : emptySql}
      ${changes.length > 0 || event.kind === 'fail' ? sql`, updated_at = ${tx.now}` : emptySql}
    where workspace_id = ${workspaceId} and id = ${mailboxId}`);
  for (const data of changes) {
    const entry = { type: 'mailbox.status_changed', subjectId: mailboxId, data } as const;
    if (userId === undefined) await audit(tx, { workspaceId, userId: null }, entry);
    await record(tx, { workspaceId, userId: userId ?? null }, { type: entry.type, data: { mailboxId, ...data } });
  }
  return after;
}

function lockState(tx: Tx, { workspaceId, mailboxId }: MailboxKey): Promise<MailboxState | undefined> {
  return tx.maybe<MailboxState>(sql`
    select json_build_object('status', status, 'reason', status_reason, 'reasonKey', status_reason_key,
        'changedAt', status_changed_at, 'toldAt', status_told_at) as status,
      json_build_object('status', send_status, 'reason', send_status_reason, 'reasonKey', send_status_reason_key,
        'changedAt', coalesce(send_status_changed_at, connected_at), 'toldAt', send_status_told_at,
        'refusedSince', send_refused_since) as "sendStatus"
    from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId}
    for no key update`);
}
