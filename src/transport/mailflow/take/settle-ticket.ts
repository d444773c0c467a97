import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { readTicketSearch } from '../../../helpdesk/tickets/rows.ts';
import { isCounted, waitingWhereOpen, wholeSummary } from '../../../helpdesk/tickets/summary.ts';

/**
 * Updates a ticket after a transaction has added or moved mails. Writes its row once, however many mails there were.
 * Each write of a ticket's row costs half a millisecond, mostly in its indexes.
 */
export async function settleTicket(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  const search = await readTicketSearch(tx, workspaceId, ticketId);
  await tx.run(sql`
    update tickets t
    set search = ${search}::tsvector, message_count = m.messages,
      last_message_at = greatest(t.last_message_at, m.last_at),
      ${wholeSummary(workspaceId, waitingWhereOpen(workspaceId))}, updated_at = ${tx.now},
      version = t.version + 1, summary_version = t.version + 1
    from (
      select count(*)::integer as messages, max(m.created_at) as last_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${isCounted}
    ) m
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and t.merged_into_id is null`);
}
