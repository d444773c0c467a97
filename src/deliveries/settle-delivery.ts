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
 * Notes that the mail's bytes are about to go: from here on an attempt that is cut off may have sent it.
 * Throws when the attempt is no longer the one that sends; then none of them may go.
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
 * Writes how an attempt ended. One that was taken for dead and given up as uncertain may still report; a mail that is
 * settled otherwise, or that a later attempt has, stays as it is.
 * @returns whether it was this attempt's to settle
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

/** Says of a mail that was cut off while it was handed over that nobody knows; of others nothing. */
export function settleCutOff(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped while the mail was being handed over: whether it left is not known';
  const guard = sql`delivery_status = 'sending' and handing_over_at is not null`;
  return endBadly(tx, named, { status: 'uncertain', error, guard });
}

/** Ends a mail that none of its attempts could send. */
export function giveUpDelivery(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped at every attempt before the mail could be handed over';
  const guard = sql`delivery_status in ('queued', 'sending') and handing_over_at is null`;
  return endBadly(tx, named, { status: 'failed', error, guard });
}

type Bounce = { bounceKind: BounceKind; enhancedStatusCode: string | null };

/**
 * Marks the answer that a bounce is about: one that left, or may have. Again, or of one that did not leave, it changes
 * nothing.
 * @param error what the bounce says, for people
 * @param enhancedStatusCode RFC 3463; null where the bounce names none
 */
export function markBounced(
  tx: Tx,
  { error, bounceKind, enhancedStatusCode, ...named }: Named & Bounce & { error: string },
): Promise<boolean> {
  const guard = sql`delivery_status in ('sending', 'sent', 'uncertain')`;
  return endBadly(tx, named, { status: 'bounced', error, guard, bounce: { bounceKind, enhancedStatusCode } });
}

/** Writes that a mail did not arrive, and brings its ticket back to its people. @returns whether the guard held */
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
      delivery_bounce_kind = ${bounce?.bounceKind ?? null}, delivery_enhanced_status_code = ${bounce?.enhancedStatusCode ?? null}
    where workspace_id = ${workspaceId} and id = ${messageId} and ${guard}`);
  if (ended === 0) return false;
  await together([
    recordDelivery(tx, { ...named, ticketId: ticket.id }, status),
    reopenTicket(tx, workspaceId, { ticket, wokenBy: 'delivery' }),
  ]);
  return true;
}

/** The ticket first, as whoever changes a ticket's messages does it: two that lock in one order do not collide. */
async function lockTicketOf(tx: Tx, { workspaceId, messageId }: Named) {
  for (;;) {
    const message = await tx.maybe<{ ticketId: TicketId }>(sql`
      select ticket_id as "ticketId" from messages where workspace_id = ${workspaceId} and id = ${messageId}`);
    if (message === undefined) return undefined;
    const ticket = await findLocked(tx, workspaceId, message.ticketId);
    const isStillThere = await tx.maybe(sql`
      select from messages where workspace_id = ${workspaceId} and id = ${messageId} and ticket_id = ${message.ticketId}`);
    // Else it was moved to another ticket while this one was waited for.
    if (isStillThere !== undefined) return ticket;
  }
}

/** Its statements may be sent along with others. */
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
