import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { ContactId, MessageId, TicketId, UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { sentElsewhere } from '../../deliveries/write.ts';

/**
 * Turns an inbound system message into an outbound message, once a Sent-folder copy shows that our people wrote it.
 * If the ticket has no requester, its recipient becomes the requester.
 * @returns the ticket; null if the message is not an inbound system message
 */
export async function markOutbound(
  tx: Tx,
  { workspaceId, messageId }: { workspaceId: WorkspaceId; messageId: MessageId },
  { senderUserId, requesterId }: { senderUserId: UserId | null; requesterId: ContactId | null },
): Promise<TicketId | null> {
  const turned = await tx.maybe<{ ticketId: TicketId }>(sql`
    update messages
    set direction = 'outbound', author_type = 'agent', author_user_id = ${senderUserId}, ${sentElsewhere}
    where workspace_id = ${workspaceId} and id = ${messageId} and direction = 'inbound' and author_type = 'system'
    returning ticket_id as "ticketId"`);
  if (turned === undefined) return null;
  await tx.run(sql`
    update tickets set requester_id = ${requesterId}
    where workspace_id = ${workspaceId} and id = ${turned.ticketId} and requester_id is null`);
  return turned.ticketId;
}
