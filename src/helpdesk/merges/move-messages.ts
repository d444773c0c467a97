import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { moveFilesOf } from '../files/attach.ts';
import { nextInstant } from '../tickets/change.ts';
import { type SummaryRow, summaryColumns, summaryOf } from '../tickets/queries.ts';
import { readTicketSearch } from '../tickets/rows.ts';
import type { Ticket } from '../tickets/schema.ts';
import { isCounted, unansweredSince, wholeSummary } from '../tickets/summary.ts';
import { carryUnreadOf } from '../tickets/unread.ts';

/** Moves single messages with their files. */
export async function moveMessages(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageIds, to }: { messageIds: readonly MessageId[]; to: TicketId },
): Promise<void> {
  await together([
    carryUnreadOf(tx, workspaceId, { messageIds, to }),
    tx.run(sql`
      update messages set ticket_id = ${to}
      where workspace_id = ${workspaceId} and id = any(${messageIds}::uuid[])`),
    moveFilesOf(tx, { workspaceId, messageIds, to }),
  ]);
}

/**
 * Writes a locked ticket that lost or gained messages, and raises its version.
 * Reads counts and times from the rows, so that they are exact even when they go back. The rest is as given.
 */
export async function settleMoved(tx: Tx, workspaceId: WorkspaceId, changed: Ticket): Promise<Ticket> {
  const [found, search] = await together([
    tx.one<{ messageCount: number; lastMessageAt: string | null }>(sql`
      select count(*) as "messageCount", max(m.created_at) as "lastMessageAt"
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${changed.id} and ${isCounted}`),
    readTicketSearch(tx, workspaceId, changed.id),
  ]);
  // A merged ticket keeps its time. A ticket without messages falls back to its creation.
  const emptyAt = changed.mergedIntoId === null ? changed.createdAt : changed.lastMessageAt;
  const ticket: Ticket = {
    ...changed,
    messageCount: found.messageCount,
    lastMessageAt: found.lastMessageAt ?? emptyAt,
    updatedAt: nextInstant(tx, changed.updatedAt),
    version: changed.version + 1,
  };
  const isOpen = ticket.status !== 'closed';
  const kept = await tx.one<SummaryRow>(sql`
    update tickets t
    set status = ${ticket.status}, tags = ${ticket.tags}::text[], tag_keys = ${ticket.tags.map(caseKey)}::text[],
      archived_at = ${ticket.archivedAt}, snoozed_until = ${ticket.snoozedUntil},
      merged_into_id = ${ticket.mergedIntoId},
      message_count = ${ticket.messageCount}, last_message_at = ${ticket.lastMessageAt}, search = ${search}::tsvector,
      updated_at = ${ticket.updatedAt}, version = ${ticket.version}, is_import_only = false,
      ${wholeSummary(workspaceId, isOpen ? unansweredSince(workspaceId) : sql`null`)},
      summary_version = ${ticket.version}
    where t.workspace_id = ${workspaceId} and t.id = ${ticket.id}
    returning ${summaryColumns}`);
  return { ...ticket, ...summaryOf(kept) };
}
