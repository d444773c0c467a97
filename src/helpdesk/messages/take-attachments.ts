import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { shownContentIds } from '../../ground/lib/html/inline-pictures.ts';
import type { AttachmentId, MessageId, TicketId } from '../../ground/lib/ids.ts';

/**
 * Attaches free uploads to a message: those of its ticket, and the member's own without a ticket.
 * If two messages want the same upload, the guarded update gives it to only one of them.
 * Files that the HTML shows by `<img src="cid:…">` are inline; other files are attached.
 */
export async function takeAttachments(
  tx: Tx,
  { workspaceId, userId }: Pick<Actor, 'workspaceId' | 'userId'>,
  { ticketId, messageId }: { ticketId: TicketId; messageId: MessageId },
  { attachmentIds, bodyHtml }: { attachmentIds: readonly AttachmentId[]; bodyHtml: string | null },
): Promise<void> {
  const wanted = [...new Set(attachmentIds)];
  const shown = bodyHtml === null ? [] : [...shownContentIds(bodyHtml)];
  const taken = await tx.run(sql`
    update attachments
    set ticket_id = ${ticketId}, message_id = ${messageId}, draft_id = null,
      is_inline = coalesce(content_id = any(${shown}::text[]), false)
    where workspace_id = ${workspaceId} and id = any(${wanted}::uuid[]) and message_id is null
      and saved_reply_id is null
      and (ticket_id = ${ticketId} or (ticket_id is null and uploaded_by = ${userId}))`);
  if (taken !== wanted.length) {
    throw invalidRequest({
      path: 'body.attachmentIds',
      key: 'file_in_use',
    });
  }
}
