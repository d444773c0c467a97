import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ContactId, MessageId, TicketId, UserId, WorkspaceId } from '../lib/ids.ts';

/**
 * Makes an outbound message of what came in as nobody's: the sender's sent folder shows that people of ours wrote it. A
 * ticket that it opened without a requester is about whom it was sent to.
 * @returns the ticket; null where the message was taken for what it is
 */
export async function turnOutbound(
  tx: Tx,
  { workspaceId, messageId }: { workspaceId: WorkspaceId; messageId: MessageId },
  { senderUserId, requesterId }: { senderUserId: UserId | null; requesterId: ContactId | null },
): Promise<TicketId | null> {
  const turned = await tx.maybe<{ ticketId: TicketId }>(sql`
    update messages
    set direction = 'outbound', author_type = 'agent', author_user_id = ${senderUserId}, delivery_status = 'sent',
      delivery_sent_at = created_at
    where workspace_id = ${workspaceId} and id = ${messageId} and direction = 'inbound' and author_type = 'system'
    returning ticket_id as "ticketId"`);
  if (turned === undefined) return null;
  await tx.run(sql`
    update tickets set requester_id = ${requesterId}
    where workspace_id = ${workspaceId} and id = ${turned.ticketId} and requester_id is null`);
  return turned.ticketId;
}
