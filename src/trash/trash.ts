import { record } from '../activity/record.ts';
import { audit } from '../audit/audit.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { readNotificationsOf } from '../notifications/mark-read.ts';
import { refuseMerged, refuseStale, saveTicket, type Target } from '../tickets/change.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../tickets/queries.ts';
import type { Ticket } from '../tickets/schema.ts';

/** Tickets in the trash, and spam, are deleted for good after so many days. */
export const keptDays = 30;

/**
 * Moves a ticket to the trash, with the tickets that were merged into it. It is archived as well, so the lists of the
 * inbox leave it out by the conditions that they have anyway. A repeated call changes nothing.
 */
export async function trashTicket(
  tx: Tx,
  actor: Actor,
  { ticketId, ifMatch }: Omit<Target, 'workspaceId'>,
): Promise<Ticket> {
  const { workspaceId, userId } = actor;
  const tree = await lockTree(tx, workspaceId, ticketId);
  const before = await getWithTrash(tx, workspaceId, ticketId);
  if (before.trashedAt !== null) return before;
  refuseStale(before, ifMatch);
  refuseMerged(before);
  const trashedAt = tx.now.toISOString();
  const after: Ticket = { ...before, trashedAt, archivedAt: before.archivedAt ?? trashedAt };
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    markMerged(tx, workspaceId, { tree, ticketId, trashedAt }),
    readNotificationsOf(tx, workspaceId, ticketId),
    record(tx, { workspaceId, ticketId, actor: { type: 'agent', userId }, type: 'ticket.trashed', data: {} }),
    // The events of the ticket will go with it.
    audit(tx, actor, {
      type: 'ticket.trashed',
      subjectId: ticketId,
      data: { ticketNumber: before.ticketNumber },
    }),
  ]);
  return ticket;
}

/** Brings a ticket back from the trash to where it was. A repeated call changes nothing. */
export async function restoreTicket(
  tx: Tx,
  { workspaceId, userId }: Actor,
  { ticketId, ifMatch }: Omit<Target, 'workspaceId'>,
): Promise<Ticket> {
  const tree = await lockTree(tx, workspaceId, ticketId);
  const before = await getWithTrash(tx, workspaceId, ticketId);
  refuseMerged(before);
  if (before.trashedAt === null) return before;
  refuseStale(before, ifMatch);
  // Spam stays archived.
  const isHiddenByTrash = before.archivedAt === before.trashedAt && before.spamAt === null;
  const after: Ticket = { ...before, trashedAt: null, archivedAt: isHiddenByTrash ? null : before.archivedAt };
  const [ticket] = await together([
    saveTicket(tx, workspaceId, after),
    markMerged(tx, workspaceId, { tree, ticketId, trashedAt: null }),
    record(tx, { workspaceId, ticketId, actor: { type: 'agent', userId }, type: 'ticket.restored', data: {} }),
  ]);
  return ticket;
}

/**
 * Locks a ticket and the tickets that were merged into it, directly or not, in the order of their ids.
 * @returns their ids; empty if the ticket is missing
 */
export async function lockTree(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<TicketId[]> {
  for (let locked: TicketId[] = []; ; ) {
    const tree = await findTree(tx, workspaceId, ticketId);
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

async function findTree(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<TicketId[]> {
  const rows = await tx.rows<{ id: TicketId }>(sql`
    with recursive tree (id) as (
      select t.id from tickets t where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
      union
      select g.source_id
      from tree h
      join ticket_merges g on g.workspace_id = ${workspaceId} and g.target_id = h.id
    )
    select id from tree`);
  return rows.map(({ id }) => id);
}

/** Reads a locked ticket, even if it is in the trash. Throws 404. */
async function getWithTrash(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<Ticket> {
  const row = await tx.maybe<TicketRow>(sql`
    select ${ticketColumns}
    from tickets t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
  if (row === undefined) throw new AppError('ticket.not_found');
  return ticketOf(row);
}

async function markMerged(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tree, ticketId, trashedAt }: { tree: readonly TicketId[]; ticketId: TicketId; trashedAt: string | null },
): Promise<void> {
  const merged = tree.filter((id) => id !== ticketId);
  if (merged.length === 0) return;
  // Lists of closed tickets show merged ones unless they are archived.
  const archivedAt =
    trashedAt === null
      ? sql`case when spam_at is null then nullif(archived_at, trashed_at) else archived_at end`
      : sql`coalesce(archived_at, ${trashedAt}::timestamptz)`;
  await tx.run(sql`
    update tickets set trashed_at = ${trashedAt}, archived_at = ${archivedAt}
    where workspace_id = ${workspaceId} and id = any(${merged}::uuid[])`);
}
