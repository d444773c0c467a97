import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../tickets/queries.ts';
import type { Ticket } from '../tickets/schema.ts';

/**
 * Selects the ids of tickets that a contact asked or takes part in.
 * @param contactIds all ids under which rows may know the contact (`findContactIds`)
 */
export function ticketIdsOf(workspaceId: WorkspaceId, contactIds: readonly ContactId[]): Sql {
  return sql`
    select p.ticket_id as id from ticket_participants p
    where p.workspace_id = ${workspaceId} and p.contact_id = any(${contactIds}::uuid[])
    union
    select r.id from tickets r where r.workspace_id = ${workspaceId} and r.requester_id = any(${contactIds}::uuid[])`;
}

/** Few enough that nobody waits long for their locks. */
export const lockedAtOnceMax = 100;

/**
 * Locks a contact's tickets, at most `lockedAtOnceMax`, in the order of their ids.
 * @param after the last ticket of the batch before; null for the first batch
 */
export async function lockTicketsOf(
  tx: Tx,
  workspaceId: WorkspaceId,
  { contactIds, after }: { contactIds: readonly ContactId[]; after: TicketId | null },
): Promise<TicketId[]> {
  const tickets = await tx.rows<{ id: TicketId }>(sql`
    select t.id
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id in (${ticketIdsOf(workspaceId, contactIds)})
      and (${after}::uuid is null or t.id > ${after}::uuid)
    order by t.id
    limit ${lockedAtOnceMax}
    for no key update of t`);
  return tickets.map(({ id }) => id);
}

const newestMax = 100;

/** Reads a contact's newest tickets in any state. Leaves out trash, spam and merged tickets, whose survivors stand for
 * them. */
export async function findTicketsOf(db: Queryable, scope: Scope, contactIds: readonly ContactId[]): Promise<Ticket[]> {
  const { workspaceId } = scope;
  const rows = await db.rows<TicketRow>(sql`
    select ${ticketColumns(scope)}
    from (${ticketIdsOf(workspaceId, contactIds)}) theirs
    join tickets t on t.workspace_id = ${workspaceId} and t.id = theirs.id
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.merged_into_id is null and t.trashed_at is null and t.spam_at is null and ${visible(scope, 't')}
    order by t.last_message_at desc, t.id desc
    limit ${newestMax}`);
  return rows.map(ticketOf);
}
