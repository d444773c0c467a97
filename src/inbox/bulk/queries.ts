import { everything, type Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { partsOf } from '../../ground/database/sight.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { BulkChange, BulkChangeWithRefusals, TicketFault } from './schema.ts';

/** How long a change can be undone after its end. */
export const undoHours = 24;

/** How many changes the list has. */
const listedMax = 50;
/** How many refused tickets an answer names. */
const faultsMax = 100;

/** Counts the tickets of a change under way; an ended change has the counts in its row. */
function columnsOf(workspaceId: WorkspaceId): Sql {
  return sql`c.id, c.created_by as "createdBy", c.created_at as "createdAt", c.query, c.change, c.state, c.total,
    c.undone_by as "undoneBy", c.finished_at as "finishedAt", c.undone_at as "undoneAt",
    c.finished_at + make_interval(hours => ${undoHours}) as "undoUntil",
    case when c.state in ('running', 'undoing') then n.changed else c.changed end as changed,
    case when c.state in ('running', 'undoing') then n.unchanged else c.unchanged end as unchanged,
    case when c.state in ('running', 'undoing') then n.refused else c.refused end as refused,
    case when c.state in ('running', 'undoing') then n.undone else c.undone end as undone,
    case when c.state in ('running', 'undoing') then n.kept else c.kept end as kept
    from bulk_changes c
    left join lateral (
      select count(*) filter (where t.state = 'changed') as changed,
        count(*) filter (where t.state = 'unchanged') as unchanged,
        count(*) filter (where t.state = 'refused') as refused,
        count(*) filter (where t.state = 'undone') as undone,
        count(*) filter (where t.state = 'kept') as kept
      from bulk_change_tickets t
      where t.workspace_id = ${workspaceId} and t.bulk_change_id = c.id and c.state in ('running', 'undoing')
    ) n on true`;
}

/**
 * The condition that the scope may read and steer change `c`. Query and counts tell of hidden tickets, and an undo by
 * somebody who does not see them would end without them. So whoever does not see everything has only their own changes,
 * and a narrow key only those that were made with it.
 */
function isOpenTo({ sight }: Scope): Sql {
  if (sight === everything) return sql`true`;
  const { userId, keyId } = partsOf(sight);
  return keyId === null ? sql`c.created_by = ${userId}` : sql`c.created_by_key = ${keyId}`;
}

export async function getBulkChange(db: Queryable, scope: Scope, id: string): Promise<BulkChange> {
  const { workspaceId } = scope;
  const found = await db.maybe<BulkChange>(sql`
    select ${columnsOf(workspaceId)}
    where c.workspace_id = ${workspaceId} and c.id = ${id} and ${isOpenTo(scope)}`);
  if (found === undefined) throw new AppError('bulk_change.not_found');
  return found;
}

/** The newest first. */
export function listBulkChanges(db: Queryable, scope: Scope): Promise<BulkChange[]> {
  const { workspaceId } = scope;
  return db.rows<BulkChange>(sql`
    select ${columnsOf(workspaceId)}
    where c.workspace_id = ${workspaceId} and ${isOpenTo(scope)}
    order by c.id desc
    limit ${listedMax}`);
}

/** The same change with the first tickets that could not be changed, or not be brought back, each with the reason. */
export async function readBulkChange(db: Queryable, scope: Scope, id: string): Promise<BulkChangeWithRefusals> {
  const { workspaceId } = scope;
  const change = await getBulkChange(db, scope, id);
  const refusals = await db.rows<TicketFault>(sql`
    select b.ticket_id as "ticketId", t.ticket_number as "ticketNumber", b.error
    from bulk_change_tickets b
    left join tickets t on t.workspace_id = ${workspaceId} and t.id = b.ticket_id
    where b.workspace_id = ${workspaceId} and b.bulk_change_id = ${id} and b.state in ('refused', 'kept')
      and ${ofVisible(scope, 'b.ticket_id')}
    order by b.state, b.ticket_id
    limit ${faultsMax}`);
  return { ...change, refusals };
}
