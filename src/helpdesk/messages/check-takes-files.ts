import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { shownId, visible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';

/** Throws 404 or 409 if the ticket takes no files. Call it before the upload is read, to spare the transfer. */
export async function checkTakesFiles(db: Queryable, scope: Scope, ticketId: TicketId): Promise<void> {
  const { workspaceId } = scope;
  const ticket = await db.maybe<{ mergedIntoId: TicketId | null; isSpam: boolean }>(sql`
    select ${shownId(scope, sql`merged_into_id`)} as "mergedIntoId", spam_at is not null as "isSpam" from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId} and trashed_at is null and ${visible(scope, 'tickets')}`);
  if (ticket === undefined) throw new AppError('ticket.not_found');
  if (ticket.mergedIntoId !== null) throw new AppError('ticket.merged', { mergedIntoId: ticket.mergedIntoId });
  if (ticket.isSpam) throw new AppError('ticket.spam');
}
