import { record } from '../activity/record.ts';
import { type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { BounceKind } from '../lib/bounce-kinds.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { findLocked } from '../tickets/change.ts';
import { reopenTicket } from '../tickets/reopen.ts';
import { refreshDeliveryProblem } from '../tickets/summary.ts';
import type { Delivery } from './claim-delivery.ts';

type Named = { workspaceId: WorkspaceId; messageId: MessageId };
type Attempt = Pick<Delivery, 'workspaceId' | 'messageId' | 'attempt'>;

/**
 * Records that the mail's bytes are about to leave. An attempt that is cut off from here on may have sent the mail.
 * Throws if a later attempt has the mail: then this one must send nothing.
 */
export async function beginHandingOver(tx: Tx, { workspaceId, messageId, attempt }: Attempt): Promise<void> {
  const begun = await tx.run(sql`
    update messages set handing_over_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'sending'
      and delivery_attempts = ${attempt} and handing_over_at is null`);
  if (begun === 0) throw new Error('another attempt has taken the mail over');
}

export type DeliveryOutcome =
  | { status: 'sent' }
  | { status: 'queued'; error: string; nextAttemptAt: Date }
  | { status: 'failed' | 'uncertain'; error: string };

/**
 * Records how an attempt ended. An attempt that was presumed dead and marked `uncertain` may still report.
 * A mail that has another outcome, or belongs to a later attempt, stays unchanged.
 * @returns false if this attempt no longer decides
 */
export async function settleDelivery(
  tx: Tx,
  { attempt, ...named }: Attempt,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const from = outcome.status === 'uncertain' ? ['sending'] : ['sending', 'uncertain'];
  const guard = sql`delivery_attempts = ${attempt} and delivery_status = any(${from}::text[])`;
  if (outcome.status === 'failed' || outcome.status === 'uncertain') return endBadly(tx, named, { ...outcome, guard });
  const { workspaceId, messageId } = named;
  const settled = await tx.maybe<{ ticketId: string }>(sql`
    update messages
    set delivery_status = ${outcome.status}, delivery_error = ${outcome.status === 'queued' ? outcome.error : null},
      delivery_sent_at = ${outcome.status === 'sent' ? tx.now : null}::timestamptz,
      delivery_next_attempt_at = ${outcome.status === 'queued' ? outcome.nextAttemptAt : null}::timestamptz,
      handing_over_at = case when ${outcome.status} = 'sent' then handing_over_at end
    where workspace_id = ${workspaceId} and id = ${messageId} and ${guard}
    returning ticket_id as "ticketId"`);
  if (settled === undefined) return false;
  if (outcome.status === 'sent') await recordDelivery(tx, { ...named, ticketId: settled.ticketId }, 'sent');
  return true;
}

/** Marks a mail as `uncertain` if it was cut off during the handover. Leaves other mails unchanged. */
export function settleCutOff(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped while the mail was being handed over: whether it left is not known';
  const guard = sql`delivery_status = 'sending' and handing_over_at is not null`;
  return endBadly(tx, named, { status: 'uncertain', error, guard });
}

/** Marks a mail as `failed` that no attempt could send. */
export function giveUpDelivery(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped at every attempt before the mail could be handed over';
  const guard = sql`delivery_status in ('queued', 'sending') and handing_over_at is null`;
  return endBadly(tx, named, { status: 'failed', error, guard });
}

type Bounce = { bounceKind: BounceKind; enhancedStatusCode: string | null };

/**
 * Marks an answer as bounced if it left or may have left. Otherwise, or when repeated, it changes nothing.
 * @param error the bounce's message, for people
 * @param enhancedStatusCode RFC 3463; null if the bounce has none
 */
export function markBounced(
  tx: Tx,
  { error, bounceKind, enhancedStatusCode, ...named }: Named & Bounce & { error: string },
): Promise<boolean> {
  const guard = sql`delivery_status in ('sending', 'sent', 'uncertain')`;
  return endBadly(tx, named, { status: 'bounced', error, guard, bounce: { bounceKind, enhancedStatusCode } });
}

/** Records that a mail did not arrive, and reopens its ticket. @returns whether the guard held */
async function endBadly(
  tx: Tx,
  named: Named,
  {
    status,
    error,
    guard,
    bounce,
  }: { status: 'failed' | 'uncertain' | 'bounced'; error: string; guard: Sql; bounce?: Bounce },
): Promise<boolean> {
  const { workspaceId, messageId } = named;
  const ticket = await lockTicketOf(tx, named);
  if (ticket === undefined) return false;
  const ended = await tx.run(sql`
    update messages
    set delivery_status = ${status}, delivery_error = ${error}, delivery_next_attempt_at = null,
      delivery_bounce_kind = ${bounce?.bounceKind ?? null},
      delivery_enhanced_status_code = ${bounce?.enhancedStatusCode ?? null}
    where workspace_id = ${workspaceId} and id = ${messageId} and ${guard}`);
  if (ended === 0) return false;
  await together([
    recordDelivery(tx, { ...named, ticketId: ticket.id }, status),
    reopenTicket(tx, workspaceId, { ticket, wokenBy: 'delivery' }),
  ]);
  return true;
}

/** Locks the ticket before its message, the order of all changes to messages, so that no two deadlock. */
async function lockTicketOf(tx: Tx, { workspaceId, messageId }: Named) {
  for (;;) {
    const message = await tx.maybe<{ ticketId: TicketId }>(sql`
      select ticket_id as "ticketId" from messages where workspace_id = ${workspaceId} and id = ${messageId}`);
    if (message === undefined) return undefined;
    const ticket = await findLocked(tx, workspaceId, message.ticketId);
    const isStillThere = await tx.maybe(sql`
      select from messages
      where workspace_id = ${workspaceId} and id = ${messageId} and ticket_id = ${message.ticketId}`);
    // Otherwise the message moved to another ticket while this transaction waited for the lock.
    if (isStillThere !== undefined) return ticket;
  }
}

/** The statements may be sent along with others. */
export async function recordDelivery(
  tx: Tx,
  { workspaceId, messageId, ticketId }: Named & { ticketId: TicketId },
  status: string,
): Promise<void> {
  const actor = { type: 'system' } as const;
  await together([
    record(tx, { workspaceId, ticketId, actor, type: 'message.delivery_changed', data: { messageId, status } }),
    refreshDeliveryProblem(tx, workspaceId, ticketId),
  ]);
}
