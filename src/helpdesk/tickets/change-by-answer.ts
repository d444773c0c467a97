import type { Doer } from '../../ground/catalog/doer.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { ChangedTicket } from '../messages/insert-message.ts';
import { saveTicket } from './change.ts';
import { recordChange } from './record-change.ts';
import type { Ticket } from './schema.ts';
import { recount } from './summary.ts';

/** What a mailed answer changes in its ticket, and how cancelling the answer brings that back. */

/** When the ticket was closed, exactly. */
export async function readClosedAt(db: Queryable, scope: Scope, ticketId: TicketId): Promise<string | null> {
  const { workspaceId } = scope;
  const ticket = await db.maybe<{ closedAt: string | null }>(sql`
    select t.closed_at::text as "closedAt" from tickets t
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}`);
  return ticket?.closedAt ?? null;
}

/** @returns null if the answer changes neither the status nor the archive */
export function changedBy(
  closedAt: string | null,
  { before, after }: { before: Ticket; after: Ticket },
): ChangedTicket | null {
  const isSame = before.status === after.status && before.archivedAt === after.archivedAt;
  if (isSame) return null;
  return {
    before: { status: before.status, archivedAt: before.archivedAt, closedAt },
    after: { status: after.status, archivedAt: after.archivedAt },
  };
}

/**
 * Brings a locked ticket back to where it was before an answer that is cancelled now: who waits, what was written
 * last, and the status. A status that somebody has changed since stays.
 */
export async function takeBackAnswer(
  tx: Tx,
  by: Doer,
  { ticket, messageId }: { ticket: Ticket; messageId: MessageId },
): Promise<Ticket> {
  const { workspaceId } = by;
  const { changed } = await tx.one<{ changed: ChangedTicket | null }>(sql`
    select m.changed_ticket as changed from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${ofVisible(by, 'm.ticket_id')}`);
  const isStatusBack = changed !== null && isOurs(changed, 'status', ticket);
  const isArchiveBack = changed !== null && isOurs(changed, 'archivedAt', ticket);
  const after: Ticket = {
    ...ticket,
    ...(isStatusBack && { status: changed.before.status }),
    ...(isArchiveBack && { archivedAt: changed.before.archivedAt }),
  };
  const [saved, , , , counted] = await together([
    saveTicket(tx, workspaceId, after),
    recordChange(tx, by, { before: ticket, after }),
    isStatusBack &&
      tx.run(sql`
        update tickets set closed_at = ${changed.before.closedAt}::timestamptz
        where workspace_id = ${workspaceId} and id = ${ticket.id}`),
    changed !== null &&
      tx.run(sql`
        update messages set changed_ticket = null where workspace_id = ${workspaceId} and id = ${messageId}`),
    recount(tx, workspaceId, ticket.id),
  ]);
  return { ...saved, ...counted };
}

/** Whether a field is still as the answer has left it. */
function isOurs({ before, after }: ChangedTicket, field: 'status' | 'archivedAt', ticket: Ticket): boolean {
  return before[field] !== after[field] && ticket[field] === after[field];
}

/** Counts an answer again that was cancelled and now goes out after all. */
export async function countAnswerAgain(tx: Tx, workspaceId: WorkspaceId, ticket: Ticket): Promise<Ticket> {
  const [saved, counted] = await together([saveTicket(tx, workspaceId, ticket), recount(tx, workspaceId, ticket.id)]);
  return { ...saved, ...counted };
}
