import type { AttachmentId, WorkspaceId } from '../lib/ids.ts';
import type { Queryable } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

export type StoredFile = { fileName: string; contentType: string; sizeBytes: number; sha256: string };

/** Undefined when the workspace has no such attachment. */
export async function findAttachment(
  db: Queryable,
  workspaceId: WorkspaceId,
  attachmentId: AttachmentId,
): Promise<StoredFile | undefined> {
  return db.maybe<StoredFile>(sql`
    select file_name as "fileName", content_type as "contentType", size_bytes as "sizeBytes", sha256
    from attachments
    where workspace_id = ${workspaceId} and id = ${attachmentId}`);
}
