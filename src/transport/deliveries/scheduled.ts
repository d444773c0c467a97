import { requesterOf } from '../../access/workspaces/requester.ts';
import { automation, type Doer } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { putBackAsDraft } from '../../helpdesk/messages/put-back.ts';
import { queueDelivery } from '../../helpdesk/messages/queue-delivery.ts';
import { rewriteTimeOfWords } from '../../helpdesk/messages/words.ts';
import { nextInstant } from '../../helpdesk/tickets/change.ts';
import { countAnswerAgain } from '../../helpdesk/tickets/change-by-answer.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { lockTicketOf, recordDelivery } from './settle-delivery.ts';
import { change, type DeliveryKey, noteDraftAgain } from './write.ts';

/**
 * A scheduled answer ends in one of two ways, each under the lock of its ticket: it leaves, or its text is its author's
 * draft again.
 */

const authorOf = sql`m.author_user_id as "authorId"`;
type Authored = { authorId: UserId | null };
type Named = { ticketId: TicketId; messageId: MessageId };

/**
 * Lets a scheduled answer leave whose time has come. From the trash and from spam none leaves: there its author has the
 * text again.
 * @returns whether the answer waits to be sent now
 */
export async function releaseDue(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<boolean> {
  const ticket = await lockTicketOf(tx, { workspaceId, messageId }, { evenTrash: true });
  const scheduled = await tx.maybe<{ sendAt: string | null }>(sql`
    select m.delivery_next_attempt_at as "sendAt" from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.delivery_status = 'scheduled'`);
  if (ticket === undefined || !scheduled?.sendAt) return false;
  const sendAt = new Date(scheduled.sendAt);
  if (sendAt > tx.now) {
    // The clock of another process may be ahead of ours. This job ends, so another one comes at the time.
    await queueDelivery(tx, { workspaceId, messageId, runAt: sendAt });
    return false;
  }
  const by = automation(workspaceId, { kind: 'delivery', id: messageId });
  const named = { ticketId: ticket.id, messageId };
  const isShown = ticket.trashedAt === null && ticket.spamAt === null;
  if (isShown) return (await release(tx, by, { ticket, messageId })) !== undefined;
  await returnToAuthor(tx, by, named);
  return false;
}

/**
 * Lets a scheduled answer of a locked ticket leave. It now is the newest message of its ticket, and answers.
 * @returns the ticket as it is now; undefined if the answer is not scheduled any more
 */
export async function release(
  tx: Tx,
  by: Doer,
  { ticket, messageId }: { ticket: Ticket; messageId: MessageId },
): Promise<Ticket | undefined> {
  const { workspaceId } = by;
  const writtenAt = new Date(nextInstant(tx, ticket.lastMessageAt));
  const left = await change<Authored>(tx, { workspaceId, messageId }, 'release', { writtenAt }, authorOf);
  if (left === undefined) return undefined;
  const named = { ticketId: ticket.id, messageId };
  const [after] = await together([
    countAnswerAgain(tx, workspaceId, ticket),
    rewriteTimeOfWords(tx, workspaceId, { messageId, createdAt: writtenAt }),
    recordDelivery(tx, by, named, { status: 'queued', leavesFor: left.authorId }),
  ]);
  return after;
}

/**
 * Cancels a scheduled answer of a locked ticket. Its text becomes the draft of its author, if they may still answer
 * there, or else of the member who cancels it. If there is neither, it stays in the cancelled message.
 * @returns false if the answer is not scheduled any more
 */
export async function returnToAuthor(tx: Tx, by: Doer, named: Named): Promise<boolean> {
  const { workspaceId } = by;
  const { messageId } = named;
  const left = await change<Authored>(tx, { workspaceId, messageId }, 'cancel', { from: 'scheduled' }, authorOf);
  if (left === undefined) return false;
  const { authorId } = left;
  const mayAnswer = authorId !== null && (await isAnswerable(tx, workspaceId, { ...named, userId: authorId }));
  const userId = mayAnswer ? authorId : by.userId;
  if (userId !== null) {
    await putBackAsDraft(tx, workspaceId, { messageId, userId });
    await noteDraftAgain(tx, { workspaceId, messageId });
  }
  await recordDelivery(tx, by, named, { status: 'cancelled', returnsTo: userId });
  return true;
}

/** Whether a user is a member who may answer the ticket, and sees it. */
async function isAnswerable(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketId, userId }: { ticketId: TicketId; userId: UserId },
): Promise<boolean> {
  const member = await requesterOf(tx, { workspaceId, userId }, 'ticket.write');
  if (member === undefined) return false;
  const shown = await tx.maybe(sql`
    select from tickets t where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(member, 't')}`);
  return shown !== undefined;
}

/** Cancels the scheduled answers of locked tickets, to which their customers have written before. */
export async function withdrawScheduled(
  tx: Tx,
  workspaceId: WorkspaceId,
  replies: ReadonlyMap<TicketId, MessageId>,
): Promise<void> {
  if (replies.size === 0) return;
  const scheduled = await tx.rows<Named>(sql`
    select m.id as "messageId", m.ticket_id as "ticketId"
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = any(${[...replies.keys()]}::uuid[])
      and m.delivery_status = 'scheduled' and coalesce((m.scheduled->>'unlessReplied')::boolean, true)
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}
    order by m.id desc`);
  for (const named of scheduled) {
    const by = automation(workspaceId, { kind: 'mail', id: replies.get(named.ticketId) ?? null });
    await returnToAuthor(tx, by, named);
    // Its ticket is as the mail has left it, so nothing of the answer is taken back later.
    await tx.run(sql`
      update messages set changed_ticket = null where workspace_id = ${workspaceId} and id = ${named.messageId}`);
  }
}

/** Changes when a scheduled answer leaves. @returns false if it is not scheduled any more */
export async function reschedule(tx: Tx, delivery: DeliveryKey, sendAt: Date): Promise<boolean> {
  const changed = await change(tx, delivery, 'reschedule', { nextAttemptAt: sendAt });
  if (changed === undefined) return false;
  await queueDelivery(tx, { ...delivery, runAt: sendAt });
  return true;
}
