import { record } from '../../events/activity/record.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { getMessage } from '../../helpdesk/messages/queries.ts';
import { queueDelivery } from '../../helpdesk/messages/queue-delivery.ts';
import type { StoredMessage } from '../../helpdesk/messages/schema.ts';
import { lockTicket, refuseSpam, saveTicket } from '../../helpdesk/tickets/change.ts';
import { countAnswerAgain, takeBackAnswer } from '../../helpdesk/tickets/change-by-answer.ts';
import { scheduleTimeOf } from '../../helpdesk/tickets/mailing.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { refreshDeliveryProblem } from '../../helpdesk/tickets/summary.ts';
import { release, reschedule, returnToAuthor } from './scheduled.ts';
import { recordDelivery } from './settle-delivery.ts';
import { type DeliveryState, statusOf } from './state.ts';
import { change, markProblemHandled, stateOf } from './write.ts';

type MessageParams = { ticketId: TicketId; messageId: MessageId };
type Steered = { message: StoredMessage; ticket: Ticket };

/**
 * Sends a message again to all its recipients if it did not arrive, may not have arrived, or was cancelled.
 * Sends a waiting message now, but no scheduled one from spam. If the mail may have left through a mailbox, the mailbox
 * is asked first.
 */
export async function retryDelivery(tx: Tx, actor: Actor, named: MessageParams): Promise<Steered> {
  const delivery = { workspaceId: actor.workspaceId, ...named };
  const { ticket: locked, state, canAsk, isRedacted, isDraftAgain } = await lockDelivery(tx, actor, named);
  if (isRedacted) throw new AppError('message.redacted');
  // Otherwise the customer might get the text twice.
  if (isDraftAgain) throw new AppError('message.already_sent');
  if (state === 'scheduled') {
    refuseSpam(locked);
    const ticket = await release(tx, actor, { ticket: locked, messageId: named.messageId });
    if (ticket === undefined) throw new AppError('message.already_sent');
    await queueDelivery(tx, delivery);
    return { message: await getMessage(tx, actor, named.messageId), ticket };
  }
  const event = canAsk && state !== 'bounced' ? 'retry-asking' : 'retry';
  const draftId = state === 'bounced' ? null : undefined;
  // A worker, which takes no lock of the ticket, may have claimed the message meanwhile.
  if (!(await change(tx, delivery, event, { from: state, draftId }))) throw new AppError('message.already_sent');
  const [ticket] = await together([
    state === 'cancelled' ? countAnswerAgain(tx, actor.workspaceId, locked) : locked,
    queueDelivery(tx, delivery),
    statusOf(state) === 'queued'
      ? undefined
      : recordDelivery(tx, actor, named, { status: 'queued', isCountedAnew: true }),
  ]);
  return { message: await getMessage(tx, actor, named.messageId), ticket };
}

/**
 * Cancels a message that waits to be sent, also between two attempts, and brings its ticket back to where it was. The
 * text of a scheduled one becomes its author's draft again.
 * Leaves cancelled and failed messages alone.
 */
export async function cancelDelivery(tx: Tx, actor: Actor, named: MessageParams): Promise<Steered> {
  const delivery = { workspaceId: actor.workspaceId, ...named };
  const { ticket: locked, state } = await lockDelivery(tx, actor, named);
  let ticket = locked;
  if (state !== 'cancelled' && state !== 'failed') {
    const cancelled = await (state === 'scheduled'
      ? returnToAuthor(tx, actor, named)
      : change(tx, delivery, 'cancel', { from: state }));
    if (!cancelled) throw new AppError('message.already_sent');
    if (state !== 'scheduled') await recordDelivery(tx, actor, named, { status: 'cancelled' });
    ticket = await takeBackAnswer(tx, actor, { ticket: locked, messageId: named.messageId });
  }
  return { message: await getMessage(tx, actor, named.messageId), ticket };
}

/** Changes when a scheduled message leaves. Throws 400 unless the time is in the days to come. */
export async function rescheduleDelivery(tx: Tx, actor: Actor, named: MessageParams, sendAt: string): Promise<Steered> {
  const at = scheduleTimeOf(tx.now, sendAt);
  const { ticket: locked, state } = await lockDelivery(tx, actor, named);
  const { workspaceId } = actor;
  const { ticketId, messageId } = named;
  if (state !== 'scheduled' || !(await reschedule(tx, { workspaceId, messageId }, at)))
    throw new AppError('message.not_scheduled');
  const [ticket] = await together([
    saveTicket(tx, workspaceId, locked),
    recordDelivery(tx, actor, { ticketId, messageId }, { status: 'scheduled' }),
  ]);
  return { message: await getMessage(tx, actor, messageId), ticket };
}

/**
 * Takes a message that did not arrive off the list of undelivered messages, because a person has settled it in another
 * way. Leaves all other messages alone.
 */
export async function handleDelivery(tx: Tx, actor: Actor, named: MessageParams): Promise<Steered> {
  const { workspaceId } = actor;
  const { ticketId, messageId } = named;
  const { ticket } = await lockDelivery(tx, actor, named);
  if (await markProblemHandled(tx, { workspaceId, messageId }))
    await together([
      record(tx, actor, { ticketId, type: 'message.delivery_handled', data: { messageId } }),
      refreshDeliveryProblem(tx, workspaceId, ticketId),
    ]);
  return { message: await getMessage(tx, actor, messageId), ticket };
}

type LockedDelivery = { state: DeliveryState | null; canAsk: boolean; isRedacted: boolean; isDraftAgain: boolean };

/**
 * Throws 404 for a message of another ticket, 409 for a message that is not mailed.
 * @returns also whether a mailbox can tell if the mail left
 */
async function lockDelivery(
  tx: Tx,
  actor: Actor,
  { ticketId, messageId }: MessageParams,
): Promise<Omit<LockedDelivery, 'state'> & { ticket: Ticket; state: DeliveryState }> {
  const { workspaceId } = actor;
  const ticket = await lockTicket(tx, actor, { ticketId, ifMatch: undefined, evenSpam: true });
  const message = await tx.maybe<LockedDelivery>(sql`
    select ${stateOf(workspaceId)} as state, m.redacted_at is not null as "isRedacted",
      m.delivery_status = 'cancelled' and coalesce((m.scheduled->>'isDraftAgain')::boolean, false) as "isDraftAgain",
      m.handing_over_at is not null and exists (
        select from mailbox_sends s
        join mailboxes b on b.workspace_id = ${workspaceId} and b.id = s.mailbox_id
        where s.workspace_id = ${workspaceId} and s.message_id = m.id and b.status <> 'disconnected'
      ) as "canAsk"
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id = ${messageId}
      and ${ofVisible(actor, 'm.ticket_id')}`);
  if (message === undefined) throw new AppError('message.not_found');
  const { state, ...rest } = message;
  if (state === null) throw new AppError('message.not_mailed');
  return { ticket, state, ...rest };
}
