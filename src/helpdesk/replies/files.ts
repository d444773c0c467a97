import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { shownContentIds } from '../../ground/lib/html/inline-pictures.ts';
import type { AttachmentId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { NewAttachment } from '../files/attach.ts';
import type { StoredAttachment } from '../files/schema.ts';

/** Gives a reply the uploads of the member. Files that the reply has already may be another member's. */
export async function claimFiles(
  tx: Tx,
  { workspaceId, userId }: Actor,
  {
    savedReplyId,
    attachmentIds,
    kept,
  }: { savedReplyId: string; attachmentIds: readonly AttachmentId[]; kept: readonly AttachmentId[] },
): Promise<void> {
  const wanted = [...new Set(attachmentIds)].filter((id) => !kept.includes(id));
  if (wanted.length === 0) return;
  const claimed = await tx.run(sql`
    update attachments set saved_reply_id = ${savedReplyId}
    where workspace_id = ${workspaceId} and id = any(${wanted}::uuid[]) and ticket_id is null and message_id is null
      and draft_id is null and saved_reply_id is null and uploaded_by = ${userId}`);
  if (claimed === wanted.length) return;
  throw invalidRequest({ path: 'body.attachmentIds', key: 'file_in_use' });
}

/** Lets go of files. As unused uploads they are swept within an hour. */
export async function releaseFiles(
  tx: Tx,
  workspaceId: WorkspaceId,
  { savedReplyId, attachmentIds }: { savedReplyId: string; attachmentIds: readonly AttachmentId[] },
): Promise<void> {
  if (attachmentIds.length === 0) return;
  await tx.run(sql`
    update attachments set saved_reply_id = null
    where workspace_id = ${workspaceId} and id = any(${attachmentIds}::uuid[]) and saved_reply_id = ${savedReplyId}`);
}

/** Copies files into the member's uploads. The bytes stay where they are. */
export async function copyFiles(
  tx: Tx,
  { workspaceId, userId }: Actor,
  files: readonly StoredAttachment[],
): Promise<StoredAttachment[]> {
  if (files.length === 0) return [];
  const copies = files.map((file) => ({ ...file, id: tx.newId<AttachmentId>(), createdAt: tx.now.toISOString() }));
  await tx.run(sql`
    insert into attachments (workspace_id, id, ticket_id, file_name, content_type, size_bytes, sha256, content_id,
      created_at, uploaded_by)
    select ${workspaceId}, f.id, null, a.file_name, a.content_type, a.size_bytes, a.sha256, a.content_id,
      ${tx.now}::timestamptz, ${userId}
    from unnest(${copies.map(({ id }) => id)}::uuid[], ${files.map(({ id }) => id)}::uuid[]) f (id, of_id)
    join attachments a on a.workspace_id = ${workspaceId} and a.id = f.of_id`);
  return copies;
}

/** The files as a new message has them. Files that its HTML names are shown inline. */
export function filesForMessage(files: readonly StoredAttachment[], html: string): NewAttachment[] {
  const shown = shownContentIds(html);
  return files.map(({ fileName, contentType, size, sha256, contentId }) => ({
    ...{ fileName, contentType, sha256, contentId },
    sizeBytes: size,
    isInline: contentId !== null && shown.has(contentId),
  }));
}
