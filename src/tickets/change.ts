import { type Tx, together } from '../database/db.ts';
import { brokenConstraint } from '../database/faults.ts';
import { emptySql, sql } from '../database/sql.ts';
import { etagOf } from '../http/http.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { rankOfPriority } from './priority.ts';
import { type SummaryRow, summaryColumns, summaryOf, type TicketRow, ticketColumns, ticketOf } from './queries.ts';
import type { Ticket } from './schema.ts';
import { keepsSummary, type NewestMessage, setNewestMessage, setWaiting } from './summary.ts';
import { endUnread } from './unread.ts';

/** Which ticket is to be changed, and the versions that the caller allows it to have (`If-Match`). */
export type Target = { workspaceId: WorkspaceId; ticketId: TicketId; ifMatch: string[] | undefined };

/**
 * Reads a ticket and keeps it from being changed by others until the commit.
 * Throws 404, then 412, then 409 for one that was merged away.
 */
export async function lockTicket(tx: Tx, { workspaceId, ticketId, ifMatch }: Target): Promise<Ticket> {
  const ticket = await findLocked(tx, workspaceId, ticketId);
  if (ticket === undefined) throw new AppError('ticket.not_found');
  refuseStale(ticket, ifMatch);
  refuseMerged(ticket);
  return ticket;
}

/** Throws 412 when the caller has seen another version. */
export function refuseStale({ version }: Ticket, ifMatch: Target['ifMatch']): void {
  if (ifMatch === undefined || ifMatch.includes(etagOf(version))) return;
  throw new AppError('ticket.version_mismatch', { currentVersion: version });
}

/** Throws 409 when the ticket was merged away. */
export function refuseMerged({ mergedIntoId }: Ticket): void {
  if (mergedIntoId !== null) throw new AppError('ticket.merged', { mergedIntoId });
}

/**
 * Reads tickets and keeps them from being changed by others until the commit. Whoever locks several does it in the order of
 * their ids, so that two who lock the same ones wait for each other and never crosswise.
 */
export async function lockTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, Ticket>> {
  // Read behind the lock: one statement would show the requester as it was before the wait.
  const [, rows] = await together([
    tx.run(sql`
      select from tickets
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])
      order by id
      for no key update`),
    tx.rows<TicketRow>(sql`
      select ${ticketColumns}
      from tickets t
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[])`),
  ]);
  return new Map(rows.map((row) => [row.id, ticketOf(row)]));
}

/** The ticket, merged or not, kept from being changed by others until the commit. */
export async function findLocked(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<Ticket | undefined> {
  const row = await tx.maybe<TicketRow>(sql`
    select ${ticketColumns}
    from tickets t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
    for no key update of t`);
  if (row === undefined) return undefined;
  // Behind a wait PostgreSQL reads the locked row anew, and not what is joined: a new requester's contact is missing.
  if (row.requesterId !== null && row.requesterEmail === null)
    return (await lockTickets(tx, workspaceId, [ticketId])).get(ticketId);
  return ticketOf(row);
}

/**
 * Writes a locked ticket as an agent has changed it, one version on. An import may not join it to another any more.
 * @param written the message that is written along with it
 * @returns the ticket as it is now; its statements may be sent along with others
 */
export async function saveTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  changed: Ticket,
  written?: NewestMessage,
): Promise<Ticket> {
  const ticket: Ticket = { ...changed, updatedAt: nextInstant(tx, changed.updatedAt), version: changed.version + 1 };
  const isAnswered = written?.direction === 'outbound';
  const [kept] = await together([
    tx.one<SummaryRow>(sql`
      update tickets t
      set subject = ${ticket.subject}, status = ${ticket.status}, priority = ${ticket.priority},
        priority_rank = ${rankOfPriority(ticket.priority)}, assignee_id = ${ticket.assigneeId}, tags = ${ticket.tags}::text[],
        tag_keys = ${ticket.tags.map(caseKey)}::text[], requester_id = ${ticket.requester?.contactId ?? null},
        archived_at = ${ticket.archivedAt}, snoozed_until = ${ticket.snoozedUntil}, message_count = ${ticket.messageCount},
        last_message_at = ${ticket.lastMessageAt}, updated_at = ${ticket.updatedAt}, version = ${ticket.version},
        is_import_only = false, ${written === undefined ? emptySql : sql`${setNewestMessage(written)},`}
        ${setWaiting(workspaceId, { status: ticket.status, isAnswered })}, ${keepsSummary}
      where workspace_id = ${workspaceId} and id = ${ticket.id}
      returning ${summaryColumns}`),
    isShownToNobody(ticket) ? endUnread(tx, workspaceId, ticket.id) : undefined,
  ]);
  return { ...ticket, ...summaryOf(kept) };
}

function isShownToNobody({ status, archivedAt }: Ticket): boolean {
  return status === 'closed' || archivedAt !== null;
}

/** This instant, or the one before where another change began later and was committed first: a ticket's times never go back. */
export function nextInstant(tx: Tx, before: string): string {
  const now = tx.now.toISOString();
  return now > before ? now : before;
}

/** An assignee who is no member breaks the foreign key: that is told as a fault of the request. */
export function asAssigneeFault(error: unknown): unknown {
  const isAssignee = brokenConstraint(error) === 'tickets_workspace_id_assignee_id_fkey';
  return isAssignee ? invalidRequest({ path: 'body.assigneeId', message: 'is no member of this workspace' }) : error;
}
