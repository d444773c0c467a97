import type { Actor } from '../catalog/actor.ts';
import type { Queryable, Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { addUpload } from '../files/keep-upload.ts';
import type { Upload } from '../files/read-upload.ts';
import type { StoredAttachment } from '../files/schema.ts';
import { AppError } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { lockTicket } from './change.ts';

/** Throws 404 or 409 where the ticket takes no files: a look, before a file is read that would be for nothing. */
export async function checkTakesFiles(db: Queryable, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  const ticket = await db.maybe<{ mergedIntoId: TicketId | null }>(sql`
    select merged_into_id as "mergedIntoId" from tickets where workspace_id = ${workspaceId} and id = ${ticketId}`);
  if (ticket === undefined) throw new AppError('ticket.not_found');
  if (ticket.mergedIntoId !== null) throw new AppError('ticket.merged', { mergedIntoId: ticket.mergedIntoId });
}

/** Adds a kept upload to a ticket. The lock keeps a merge from passing by: the file would stay where no message can take it. */
export async function uploadAttachment(
  tx: Tx,
  actor: Actor,
  { ticketId, upload }: { ticketId: TicketId; upload: Upload },
): Promise<StoredAttachment> {
  await lockTicket(tx, { workspaceId: actor.workspaceId, ticketId, ifMatch: undefined });
  return addUpload(tx, actor, { ticketId, upload });
}
