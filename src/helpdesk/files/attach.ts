import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';

/** A file whose bytes are already stored as a blob. */
export type NewAttachment = {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  contentId: string | null;
  isInline: boolean;
};

/** The bytes of some files together. */
export function sizeOfFiles(files: readonly Pick<NewAttachment, 'sizeBytes'>[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Attaches files to a message that is being written. */
export async function attachFiles(
  tx: Tx,
  { workspaceId, ticketId, messageId }: { workspaceId: WorkspaceId; ticketId: TicketId; messageId: MessageId },
  files: readonly NewAttachment[],
): Promise<void> {
  if (files.length === 0) return;
  await tx.run(sql`
    insert into attachments (workspace_id, id, ticket_id, message_id, file_name, content_type, size_bytes, sha256,
      content_id, is_inline, created_at)
    select w.workspace_id, f.id, ${ticketId}::uuid, ${messageId}::uuid, f.file_name, f.content_type, f.size_bytes,
      f.sha256, f.content_id, f.is_inline, ${tx.now}::timestamptz
    from ${workspaceRow}
    cross join unnest(${files.map(() => tx.newId())}::uuid[], ${files.map(({ fileName }) => fileName)}::text[],
      ${files.map(({ contentType }) => contentType)}::text[], ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[],
      ${files.map(({ sha256 }) => sha256)}::text[], ${files.map(({ contentId }) => contentId)}::text[],
      ${files.map(({ isInline }) => isInline)}::boolean[])
      f (id, file_name, content_type, size_bytes, sha256, content_id, is_inline)
    where w.workspace_id = ${workspaceId}`);
}

/** Moves all files of whole tickets to another ticket, including uploads for answers that are not written yet. */
export async function moveFiles(
  tx: Tx,
  { workspaceId, from, to }: { workspaceId: WorkspaceId; from: readonly TicketId[]; to: TicketId },
): Promise<void> {
  await tx.run(sql`
    update attachments set ticket_id = ${to}
    where workspace_id = ${workspaceId} and ticket_id = any(${from}::uuid[])`);
}

/** Moves files together with their messages. */
export async function moveFilesOf(
  tx: Tx,
  { workspaceId, messageIds, to }: { workspaceId: WorkspaceId; messageIds: readonly MessageId[]; to: TicketId },
): Promise<void> {
  await tx.run(sql`
    update attachments set ticket_id = ${to}
    where workspace_id = ${workspaceId} and message_id = any(${messageIds}::uuid[])`);
}
