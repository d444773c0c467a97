import { type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';

/**
 * Deletes tickets with their messages, facts, notifications, files and drafts. The next sweep deletes file bytes.
 * The target of merges must be deleted together with their sources, or the database refuses.
 */
export async function deleteTickets(tx: Tx, workspaceId: WorkspaceId, ticketIds: readonly TicketId[]): Promise<void> {
  if (ticketIds.length === 0) return;
  // Waits for transactions that write to these tickets. Later transactions find no ticket.
  await tx.run(sql`
    select from tickets where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[]) order by id for update`);
  const ofThem = sql`workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])`;
  const messages = sql`(select id from messages where ${ofThem})`;
  const facts = sql`(select id from activity where ${ofThem})`;
  // Deletes referring rows first.
  const doomed: Sql[] = [
    sql`notifications where workspace_id = ${workspaceId} and activity_id in ${facts}`,
    sql`activity where ${ofThem}`,
    sql`mailbox_sends where workspace_id = ${workspaceId} and message_id in ${messages}`,
    sql`merged_messages where workspace_id = ${workspaceId} and message_id in ${messages}`,
    sql`ticket_merges where workspace_id = ${workspaceId}
      and (source_id = any(${ticketIds}::uuid[]) or target_id = any(${ticketIds}::uuid[]))`,
    sql`mail_ids where ${ofThem}`,
    sql`drafts where ${ofThem}`,
    sql`unread_tickets where ${ofThem}`,
    sql`ticket_followers where ${ofThem}`,
    sql`ticket_participants where ${ofThem}`,
  ];
  await together([
    ...doomed.map((rows) => tx.run(sql`delete from ${rows}`)),
    deleteFiles(tx, workspaceId, ofThem),
    tx.run(sql`delete from messages where ${ofThem}`),
    tx.run(sql`delete from tickets where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])`),
  ]);
}

/** Marks blobs that may have lost their last attachment, for the sweep. */
async function deleteFiles(tx: Tx, workspaceId: WorkspaceId, ofThem: Sql): Promise<void> {
  const deleted = await tx.rows<{ sha256: string }>(sql`delete from attachments where ${ofThem} returning sha256`);
  await tx.run(sql`
    insert into loose_blobs (workspace_id, sha256, noted_at)
    select distinct ${workspaceId}::uuid, sha256, ${tx.now}::timestamptz
    from unnest(${deleted.map(({ sha256 }) => sha256)}::text[]) sha256
    on conflict (workspace_id, sha256) do nothing`);
}
