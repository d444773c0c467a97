import { automation } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { nameMailIds } from '../../helpdesk/messages/mail-ids.ts';
import { findLocked } from '../../helpdesk/tickets/change.ts';
import { countAnswerAgain } from '../../helpdesk/tickets/change-by-answer.ts';
import { recordDelivery } from './settle-delivery.ts';
import { change, keepCopy, type SentThrough } from './write.ts';

/**
 * Records that an answer left through a mailbox. Several jobs may find that out.
 * The answer becomes `sent` from any status and by any attempt; only `bounced` stays.
 * Replies then find the answer by the id under which its recipients know it.
 * @returns false if the message is missing
 */
export async function noteSentCopy(tx: Tx, sent: SentThrough): Promise<boolean> {
  const { workspaceId, messageId } = sent;
  const message = await tx.maybe<{ ticketId: TicketId; isNoAnswer: boolean }>(sql`
    select ticket_id as "ticketId", coalesce(delivery_status in ('cancelled', 'failed'), false) as "isNoAnswer"
    from messages
    where workspace_id = ${workspaceId} and id = ${messageId} and direction = 'outbound'`);
  if (message === undefined) return false;
  const { ticketId, isNoAnswer } = message;
  // The ticket before its message, as all changes lock them.
  const ticket = isNoAnswer ? await findLocked(tx, machineScope(workspaceId), ticketId) : undefined;
  const changed = await change(tx, { workspaceId, messageId }, 'find');
  const by = automation(workspaceId, { kind: 'delivery', id: messageId });
  const wireMessageId = sent.copy?.wireMessageId ?? null;
  await together([
    keepCopy(tx, sent),
    nameMailIds(
      tx,
      { workspaceId, ticketId },
      { ids: [], own: wireMessageId === null ? null : { id: wireMessageId, messageId } },
    ),
    changed && recordDelivery(tx, by, { messageId, ticketId }, { status: 'sent' }),
    changed && ticket && countAnswerAgain(tx, workspaceId, ticket),
  ]);
  return true;
}
