import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { getMessage } from '../messages/queries.ts';
import { queueDelivery } from '../messages/queue-delivery.ts';
import type { DeliveryStatus, StoredMessage } from '../messages/schema.ts';
import { lockTicket } from '../tickets/change.ts';
import type { Ticket } from '../tickets/schema.ts';
import { refreshDeliveryProblem } from '../tickets/summary.ts';

type Named = { ticketId: TicketId; messageId: MessageId };
type Steered = { message: StoredMessage; ticket: Ticket };

/**
 * Sends a message again to all its recipients if it did not arrive, may not have arrived, or was cancelled.
 * Sends a waiting message now.
 */
export async function retryDelivery(tx: Tx, actor: Actor, named: Named): Promise<Steered> {
  const { workspaceId } = actor;
  const { messageId } = named;
  const { ticket, status } = await lockDelivery(tx, actor, named);
  if (status === 'sent' || status === 'sending') throw new AppError('message.already_sent');
  const [, written] = await together([
    readyMailboxSend(tx, { workspaceId, messageId }, status),
    tx.run(sql`
      update messages
      set delivery_status = 'queued', delivery_error = null, delivery_sent_at = null, delivery_next_attempt_at = null,
        handing_over_at = case when exists (
          select from mailbox_sends s
          join mailboxes b on b.workspace_id = ${workspaceId} and b.id = s.mailbox_id
          where s.workspace_id = ${workspaceId} and s.message_id = ${messageId} and s.unsure_since is not null
            and b.status <> 'disconnected'
        ) then handing_over_at end
      where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = ${status}`),
    queueDelivery(tx, { workspaceId, messageId }),
    status === 'queued' ? undefined : recordSteering(tx, actor, named, 'queued'),
  ]);
  // A worker, which takes no lock of the ticket, has claimed the message meanwhile.
  if (written === 0) throw new AppError('message.already_sent');
  return { message: await getMessage(tx, workspaceId, messageId), ticket };
}

/**
 * Marks a handed-over mail, so that its mailbox is asked whether the mail left before the mail goes there again.
 * Its attempts are over by now. A bounced mail did leave, so it needs no question.
 */
async function readyMailboxSend(
  tx: Tx,
  { workspaceId, messageId }: { workspaceId: WorkspaceId; messageId: MessageId },
  status: DeliveryStatus,
): Promise<void> {
  if (status === 'bounced') {
    await tx.run(sql`
      update mailbox_sends set draft_id = null, unsure_since = null
      where workspace_id = ${workspaceId} and message_id = ${messageId}`);
    return;
  }
  await tx.run(sql`
    update mailbox_sends s set unsure_since = m.handing_over_at
    from messages m
    where s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
      and m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.handing_over_at is not null`);
}

/** Cancels a message that waits to be sent, also between two attempts. Leaves cancelled and failed messages alone. */
export async function cancelDelivery(tx: Tx, actor: Actor, named: Named): Promise<Steered> {
  const { workspaceId } = actor;
  const { messageId } = named;
  const { ticket, status } = await lockDelivery(tx, actor, named);
  if (status !== 'queued' && status !== 'cancelled' && status !== 'failed') throw new AppError('message.already_sent');
  if (status === 'queued') {
    const [written] = await together([
      tx.run(sql`
        update messages
        set delivery_status = 'cancelled', delivery_next_attempt_at = null
        where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'queued'`),
      recordSteering(tx, actor, named, 'cancelled'),
    ]);
    if (written === 0) throw new AppError('message.already_sent');
  }
  return { message: await getMessage(tx, workspaceId, messageId), ticket };
}

/** Throws 404 for a message of another ticket, 409 for a message that is not mailed. */
async function lockDelivery(
  tx: Tx,
  { workspaceId }: Actor,
  { ticketId, messageId }: Named,
): Promise<{ ticket: Ticket; status: DeliveryStatus }> {
  const ticket = await lockTicket(tx, { workspaceId, ticketId, ifMatch: undefined });
  const message = await tx.maybe<{ status: DeliveryStatus | null }>(sql`
    select delivery_status as status
    from messages
    where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and id = ${messageId}`);
  if (message === undefined) throw new AppError('message.not_found');
  if (message.status === null) throw new AppError('message.not_mailed');
  return { ticket, status: message.status };
}

async function recordSteering(
  tx: Tx,
  { workspaceId, userId }: Actor,
  { ticketId, messageId }: Named,
  status: 'queued' | 'cancelled',
): Promise<void> {
  await together([
    record(tx, {
      workspaceId,
      ticketId,
      actor: { type: 'agent', userId },
      type: 'message.delivery_changed',
      data: { messageId, status },
    }),
    refreshDeliveryProblem(tx, workspaceId, ticketId),
  ]);
}
