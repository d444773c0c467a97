import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { AttachmentId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Upload } from './read-upload.ts';
import type { StoredAttachment } from './schema.ts';

/** Stores an upload's bytes durably. */
export async function keepUpload(
  { db, blobs }: { db: Db; blobs: Blobs },
  workspaceId: WorkspaceId,
  { bytes }: Upload,
): Promise<void> {
  await noteLooseBlob(db, workspaceId, bytes.sha256);
  await blobs.keep(workspaceId, bytes);
}

/**
 * Notes bytes as loose before they are put. If no row names them in the end, the sweep finds and removes them. The
 * sweep spares bytes with a recent note. The insert waits for a sweep that is removing the same bytes, so the put
 * comes after the removal.
 */
export async function noteLooseBlob(db: Db, workspaceId: WorkspaceId, sha256: string): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`
      insert into loose_blobs (workspace_id, sha256, noted_at)
      values (${workspaceId}, ${sha256}, ${tx.now})
      on conflict (workspace_id, sha256) do update set noted_at = excluded.noted_at`),
  );
}

/**
 * Records an upload until a message takes it: a message of its ticket or, without a ticket, a message of its member.
 * The upload gets a Content-ID at once, so that HTML can refer to it.
 */
export async function addUpload(
  tx: Tx,
  { workspaceId, userId }: Actor,
  { ticketId, upload }: { ticketId: TicketId | null; upload: Upload },
): Promise<StoredAttachment> {
  const { fileName, contentType, bytes } = upload;
  const { sha256, sizeBytes } = bytes;
  const id = tx.newId<AttachmentId>();
  const contentId = `${id.replaceAll('-', '')}@kontor`;
  await together([
    tx.run(sql`
      insert into attachments (workspace_id, id, ticket_id, file_name, content_type, size_bytes, sha256, content_id,
        created_at, uploaded_by)
      values (${workspaceId}, ${id}, ${ticketId}, ${fileName}, ${contentType}, ${sizeBytes}, ${sha256}, ${contentId},
        ${tx.now}, ${userId})`),
    tx.run(sql`delete from loose_blobs where workspace_id = ${workspaceId} and sha256 = ${sha256}`),
  ]);
  const createdAt = tx.now.toISOString();
  return { id, fileName, contentType, size: sizeBytes, sha256, contentId, isInline: false, createdAt };
}
