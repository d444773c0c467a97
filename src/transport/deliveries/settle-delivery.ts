import { record } from '../../events/activity/record.ts';
import { automation, type Performer } from '../../ground/catalog/doer.ts';
import type { Fact } from '../../ground/catalog/events.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { type DeliveryStatus, deliveryProblems } from '../../helpdesk/messages/schema.ts';
import { findLocked } from '../../helpdesk/tickets/change.ts';
import { reopenTicket } from '../../helpdesk/tickets/change-ticket.ts';
import { recount, refreshDeliveryProblem, refreshWaiting } from '../../helpdesk/tickets/summary.ts';
import { type DeliveryEvent, statusAfter } from './state.ts';
import { type Change, change, type DeliveryKey } from './write.ts';

/**
 * Records how an attempt ended, or what became of its mail. A mail that did not arrive reopens its ticket, unless it is
 * an automatic reply.
 * @param delivery with `attempt`, the end counts only until a later attempt begins
 * @returns false if the event is refused
 */
export async function settleDelivery(
  tx: Tx,
  delivery: DeliveryKey & { attempt?: number },
  event: DeliveryEvent,
  details?: Change,
): Promise<boolean> {
  const { workspaceId, messageId } = delivery;
  const status = statusAfter(event);
  const isProblem = deliveryProblems.some((problem) => problem === status);
  const isCountedAnew = isProblem || details?.isFile === true;
  const ticket = isCountedAnew ? await lockTicketOf(tx, delivery) : undefined;
  const changed = await change<{ ticketId: TicketId; isAutomatic: boolean }>(
    tx,
    delivery,
    event,
    details,
    sql`m.ticket_id as "ticketId", m.automatic_kind is not null as "isAutomatic"`,
  );
  if (changed === undefined) return false;
  const by = automation(workspaceId, { kind: 'delivery', id: messageId });
  await together([
    isProblem || status === 'sent'
      ? recordDelivery(tx, by, { messageId, ...changed }, { status, isCountedAnew })
      : undefined,
    isProblem && ticket && !changed.isAutomatic && reopenTicket(tx, by, ticket),
    // A scheduled one did not count among the messages of its ticket.
    event === 'doubt' && recount(tx, workspaceId, changed.ticketId),
  ]);
  return true;
}

/**
 * Marks an answer as bounced if it left or may have left. Otherwise, or when repeated, it changes nothing.
 * @param error the bounce's message, for people
 * @param enhancedStatusCode RFC 3463; null if the bounce has none
 */
export function markBounced(
  tx: Tx,
  { workspaceId, messageId, error, ...bounce }: DeliveryKey & { error: string } & NonNullable<Change['bounce']>,
): Promise<boolean> {
  return settleDelivery(tx, { workspaceId, messageId }, 'bounce', { error, bounce });
}

/** Locks the ticket before its message, the order of all changes to messages, so that no two deadlock. */
export async function lockTicketOf(
  tx: Tx,
  { workspaceId, messageId }: DeliveryKey,
  which: { evenTrash?: boolean } = {},
) {
  for (;;) {
    const message = await tx.maybe<{ ticketId: TicketId }>(sql`
      select ticket_id as "ticketId" from messages where workspace_id = ${workspaceId} and id = ${messageId}`);
    if (message === undefined) return undefined;
    const ticket = await findLocked(tx, machineScope(workspaceId), message.ticketId, which);
    const isStillThere = await tx.maybe(sql`
      select from messages
      where workspace_id = ${workspaceId} and id = ${messageId} and ticket_id = ${message.ticketId}`);
    // Otherwise the message moved to another ticket while this transaction waited for the lock.
    if (isStillThere !== undefined) return ticket;
  }
}

/**
 * @param isCountedAnew whether the mail begins or ceases to be an answer for which somebody waits
 * @param told what colleagues hear of a scheduled message
 */
export async function recordDelivery(
  tx: Tx,
  by: Performer,
  { messageId, ticketId }: { messageId: MessageId; ticketId: TicketId },
  {
    status,
    isCountedAnew = false,
    ...told
  }: { status: DeliveryStatus; isCountedAnew?: boolean } & Pick<
    Fact<'message.delivery_changed'>,
    'leavesFor' | 'returnsTo'
  >,
): Promise<void> {
  const { workspaceId } = by;
  await together([
    record(tx, by, { ...told, ticketId, type: 'message.delivery_changed', data: { messageId, status } }),
    isCountedAnew ? refreshWaiting(tx, workspaceId, ticketId) : undefined,
    refreshDeliveryProblem(tx, workspaceId, ticketId),
    status === 'sent' &&
      tx.run(sql`
        update workspaces set answered_at = ${tx.now}
        where id = ${workspaceId} and answered_at is null and exists (
          select from messages m
          where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.automatic_kind is null
        )`),
  ]);
}
