import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { AttachmentId, TicketId, UserId } from '../../ground/lib/ids.ts';

/** Attachment `a` as answers show it. */
export const attachmentJson: Sql = sql`json_build_object('id', a.id, 'fileName', a.file_name,
  'contentType', a.content_type, 'size', a.size_bytes, 'sha256', a.sha256, 'contentId', a.content_id,
  'isInline', a.is_inline, 'createdAt', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

export type StoredFile = { fileName: string; contentType: string; sizeBytes: number; sha256: string };

/**
 * Undefined when the workspace has no such attachment.
 * @param readerId hides other members' uploads that have no ticket and no shared reply; omitted for a signed address
 */
export async function findAttachment(
  db: Queryable,
  scope: Scope,
  attachmentId: AttachmentId,
  readerId?: UserId,
): Promise<(StoredFile & { ticketId: TicketId | null }) | undefined> {
  const { workspaceId } = scope;
  return db.maybe<StoredFile & { ticketId: TicketId | null }>(sql`
    select file_name as "fileName", content_type as "contentType", size_bytes as "sizeBytes", sha256,
      ticket_id as "ticketId"
    from attachments a
    where a.workspace_id = ${workspaceId} and a.id = ${attachmentId} and ${ofVisible(scope, 'a.ticket_id')}
      and (ticket_id is not null or ${readerId ?? null}::uuid is null or uploaded_by = ${readerId ?? null}::uuid
        or exists (
          select from saved_replies r
          where r.workspace_id = ${workspaceId} and r.id = saved_reply_id and r.owner_id is null))`);
}
