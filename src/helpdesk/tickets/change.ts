import type { Scope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { brokenConstraint } from '../../ground/database/faults.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { etagOf } from '../../ground/http/http.ts';
import { AppError, type ErrorParams, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { rankOfPriority } from './priority.ts';
import { type SummaryRow, summaryColumns, summaryOf, type TicketRow, ticketColumns, ticketOf } from './queries.ts';
import type { Ticket } from './schema.ts';
import { keepsSummary, setNewestMessage, setWaiting, type WrittenMessage } from './summary.ts';
import { endUnread } from './unread.ts';

/** Which ticket to change, and which versions the caller accepts (`If-Match`). */
export type Target = { ticketId: TicketId; ifMatch: string[] | undefined };

/**
 * Reads a ticket and locks it until the commit.
 * Throws 404, then 412, then 409 for a merged ticket or spam.
 * @param evenSpam for a change that spam allows
 */
export async function lockTicket(
  tx: Tx,
  scope: Scope,
  { ticketId, ifMatch, evenSpam = false }: Target & { evenSpam?: boolean },
): Promise<Ticket> {
  const ticket = await findLocked(tx, scope, ticketId);
  if (ticket === undefined) throw new AppError('ticket.not_found');
  refuseStale(ticket, ifMatch);
  refuseMerged(ticket);
  if (!evenSpam) refuseSpam(ticket);
  return ticket;
}

/** Throws 412 if the caller has seen another version. */
export function refuseStale({ version }: Ticket, ifMatch: Target['ifMatch']): void {
  if (ifMatch === undefined || ifMatch.includes(etagOf(version))) return;
  throw new AppError('ticket.version_mismatch', { currentVersion: version });
}

/**
 * Throws 409 if the ticket was merged into another.
 * @param named goes into the error's parameters, here and below
 */
export function refuseMerged({ mergedIntoId }: Ticket, named: ErrorParams = {}): void {
  if (mergedIntoId !== null) throw new AppError('ticket.merged', { mergedIntoId, ...named });
}

/** Throws 409 for spam, which only goes back to the inbox or to the trash. */
export function refuseSpam({ spamAt }: Ticket, named: ErrorParams = {}): void {
  if (spamAt !== null) throw new AppError('ticket.spam', named);
}

/**
 * Reads tickets and locks them until the commit.
 * All code locks several tickets in the order of their ids, so that two transactions never deadlock.
 */
export async function lockTickets(
  tx: Tx,
  scope: Scope,
  ticketIds: readonly TicketId[],
  { evenTrash = false }: { evenTrash?: boolean } = {},
): Promise<Map<TicketId, Ticket>> {
  const { workspaceId } = scope;
  // Reads after the lock, because a single statement would show the requester as of before the wait.
  const [, rows] = await together([
    tx.run(sql`
      select from tickets
      where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[]) and ${visible(scope, 'tickets')}
      order by id
      for no key update`),
    tx.rows<TicketRow>(sql`
      select ${ticketColumns(scope)}
      from tickets t
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[])
        and (${evenTrash} or t.trashed_at is null) and ${visible(scope, 't')}`),
  ]);
  return new Map(rows.map((row) => [row.id, ticketOf(row)]));
}

/** Reads and locks the ticket until the commit, even if it was merged. */
export async function findLocked(
  tx: Tx,
  scope: Scope,
  ticketId: TicketId,
  { evenTrash = false }: { evenTrash?: boolean } = {},
): Promise<Ticket | undefined> {
  const { workspaceId } = scope;
  const row = await tx.maybe<TicketRow>(sql`
    select ${ticketColumns(scope)}
    from tickets t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and (${evenTrash} or t.trashed_at is null)
      and ${visible(scope, 't')}
    for no key update of t`);
  if (row === undefined) return undefined;
  // After a wait PostgreSQL rereads the locked row but not the join, so a new requester's contact is missing.
  if (row.requesterId !== null && row.requesterEmail === null)
    return (await lockTickets(tx, scope, [ticketId], { evenTrash })).get(ticketId);
  return ticketOf(row);
}

/**
 * Locks a ticket and the tickets that were merged into it, directly or not, in the order of their ids.
 * @returns their ids; empty if the ticket is missing
 */
export async function lockTree(tx: Tx, scope: Scope, ticketId: TicketId): Promise<TicketId[]> {
  const { workspaceId } = scope;
  for (let locked: TicketId[] = []; ; ) {
    const tree = await findTree(tx, scope, ticketId);
    // While this transaction waited for the locks, another ticket may have been merged into one of them.
    if (tree.every((id) => locked.includes(id))) return tree;
    await tx.run(sql`
      select from tickets
      where workspace_id = ${workspaceId} and id = any(${tree}::uuid[])
      order by id
      for no key update`);
    locked = tree;
  }
}

async function findTree(tx: Tx, scope: Scope, ticketId: TicketId): Promise<TicketId[]> {
  const { workspaceId } = scope;
  const rows = await tx.rows<{ id: TicketId }>(sql`
    with recursive tree (id) as (
      select t.id from tickets t
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}
      union
      select g.source_id
      from tree h
      join ticket_merges g on g.workspace_id = ${workspaceId} and g.target_id = h.id
    )
    select id from tree`);
  return rows.map(({ id }) => id);
}

/**
 * Writes a locked ticket as an agent has changed it, and raises its version. Imports may then no longer join it.
 * @param written the message that is written along with the ticket
 * @returns the ticket as it is now; a caller may batch the statements
 */
export async function saveTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  changed: Ticket,
  written?: WrittenMessage,
): Promise<Ticket> {
  const ticket: Ticket = { ...changed, updatedAt: nextInstant(tx, changed.updatedAt), version: changed.version + 1 };
  const isAnswered = written?.isAnswer === true;
  const [kept] = await together([
    tx
      .one<SummaryRow>(sql`
      update tickets t
      set subject = ${ticket.subject}, status = ${ticket.status}, priority = ${ticket.priority},
        priority_rank = ${rankOfPriority(ticket.priority)}, assignee_id = ${ticket.assigneeId},
        team_id = ${ticket.teamId}, tags = ${ticket.tags}::text[],
        tag_keys = ${ticket.tags.map(caseKey)}::text[], requester_id = ${ticket.requester?.contactId ?? null},
        requester_chosen_at = case when t.requester_id is distinct from ${ticket.requester?.contactId ?? null}
          then ${ticket.updatedAt} else t.requester_chosen_at end,
        mailbox_id = ${ticket.mailboxId}, archived_at = ${ticket.archivedAt}, trashed_at = ${ticket.trashedAt},
        spam_at = ${ticket.spamAt}, spam_reason = ${ticket.spamReason}, snoozed_until = ${ticket.snoozedUntil},
        message_count = ${ticket.messageCount},
        last_message_at = ${ticket.lastMessageAt}, updated_at = ${ticket.updatedAt}, version = ${ticket.version},
        is_import_only = false, ${written === undefined ? emptySql : sql`${setNewestMessage(written)},`}
        ${setWaiting(workspaceId, { status: ticket.status, isAnswered })}, ${keepsSummary}
      where workspace_id = ${workspaceId} and id = ${ticket.id}
      returning ${summaryColumns}`)
      .catch((error) => Promise.reject(asAssigneeFault(error))),
    isShownToNobody(ticket) ? endUnread(tx, workspaceId, ticket.id) : undefined,
  ]);
  return { ...ticket, ...summaryOf(kept) };
}

export function isShownToNobody({ status, archivedAt }: Ticket): boolean {
  return status === 'closed' || archivedAt !== null;
}

/** Now, or `before` if that is later: a change that began later may have committed first, and times never go back. */
export function nextInstant(tx: Tx, before: string): string {
  const now = tx.now.toISOString();
  return now > before ? now : before;
}

/** Turns a broken foreign key of the assignee into a fault of the request. */
export function asAssigneeFault(error: unknown): unknown {
  const isAssignee = brokenConstraint(error) === 'tickets_workspace_id_assignee_id_fkey';
  return isAssignee ? invalidRequest({ path: 'body.assigneeId', key: 'not_a_member' }) : error;
}
