import { passOn } from '../../events/notifications/pass-on.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { noteLooseBlobs } from '../files/loose-blobs.ts';
import { eraseRawMails } from '../messages/erase-raw-mails.ts';

/**
 * Deletes tickets with their messages, raw mails, facts, notifications, files and drafts. A sweep deletes the bytes.
 * The target of merges must be deleted together with their sources, or the database refuses.
 * @param heirId the ticket to which the Message-IDs and tokens of their mails lead from now on
 */
export async function deleteTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
  heirId: TicketId | null = null,
): Promise<void> {
  if (ticketIds.length === 0) return;
  // Waits for transactions that write to these tickets. Later transactions find no ticket.
  await tx.run(sql`
    select from tickets where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[]) order by id for update`);
  const ofThem = sql`workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])`;
  await passOn(tx, workspaceId, ticketIds);
  const messages = sql`(select id from messages where ${ofThem})`;
  const facts = sql`(select id from activity where ${ofThem})`;
  // Deletes referring rows first.
  const doomed: Sql[] = [
    sql`gathered_facts where workspace_id = ${workspaceId} and activity_id in ${facts}`,
    sql`notifications where workspace_id = ${workspaceId} and activity_id in ${facts}`,
    sql`activity where ${ofThem}`,
    sql`mailbox_sends where workspace_id = ${workspaceId} and message_id in ${messages}`,
    sql`merged_messages where workspace_id = ${workspaceId} and message_id in ${messages}`,
    sql`ticket_merges where workspace_id = ${workspaceId}
      and (source_id = any(${ticketIds}::uuid[]) or target_id = any(${ticketIds}::uuid[]))`,
    sql`rule_runs where ${ofThem}`,
    sql`rule_timers where ${ofThem}`,
    sql`drafts where ${ofThem}`,
    sql`unread_tickets where ${ofThem}`,
    sql`ticket_followers where ${ofThem}`,
    sql`ticket_participants where ${ofThem}`,
    sql`thread_tokens where ${ofThem}`,
  ];
  await together([
    releaseDraftFiles(tx, workspaceId, ofThem),
    forgetMailIds(tx, workspaceId, { ticketIds, messages, heirId }),
    heirId === null ? undefined : passTokensOn(tx, workspaceId, { ofThem, heirId }),
    eraseRawMails(tx, workspaceId, messages),
    clearWebhookLog(tx, workspaceId, facts),
    ...doomed.map((rows) => tx.run(sql`delete from ${rows}`)),
    deleteFiles(tx, workspaceId, ofThem),
    tx.run(sql`delete from messages where ${ofThem}`),
    tx.run(sql`delete from tickets where workspace_id = ${workspaceId} and id = any(${ticketIds}::uuid[])`),
  ]);
}

async function deleteFiles(tx: Tx, workspaceId: WorkspaceId, ofThem: Sql): Promise<void> {
  const deleted = await tx.rows<{ sha256: string }>(sql`delete from attachments where ${ofThem} returning sha256`);
  await noteLooseBlobs(tx, workspaceId, deleted);
}

/** Uploads without a ticket that drafts of these tickets name wait for no message any more. */
async function releaseDraftFiles(tx: Tx, workspaceId: WorkspaceId, ofThem: Sql): Promise<void> {
  await tx.run(sql`
    update attachments set draft_id = null
    where workspace_id = ${workspaceId} and id in (select unnest(attachment_ids) from drafts where ${ofThem})`);
}

/** A split may have separated an id's message from the ticket that named the id first. */
async function forgetMailIds(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketIds, messages, heirId }: { ticketIds: readonly TicketId[]; messages: Sql; heirId: TicketId | null },
): Promise<void> {
  const ofThem = sql`i.workspace_id = ${workspaceId} and i.ticket_id = any(${ticketIds}::uuid[])`;
  await together([
    tx.run(sql`
      update mail_ids i set ticket_id = m.ticket_id
      from messages m
      where ${ofThem} and m.workspace_id = ${workspaceId} and m.id = i.message_id
        and m.ticket_id <> all(${ticketIds}::uuid[])`),
    tx.run(sql`
      update mail_ids set message_id = null where workspace_id = ${workspaceId} and message_id in ${messages}`),
    heirId === null
      ? undefined
      : tx.run(sql`
          update mail_ids i set ticket_id = t.id
          from tickets t
          where ${ofThem} and t.workspace_id = ${workspaceId} and t.id = ${heirId}`),
    tx.run(sql`delete from mail_ids i where ${ofThem}`),
  ]);
}

async function passTokensOn(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ofThem, heirId }: { ofThem: Sql; heirId: TicketId },
): Promise<void> {
  await tx.run(sql`
    insert into thread_tokens (workspace_id, ticket_id, source, token)
    select ${workspaceId}, t.id, k.source, k.token
    from (select source, token from thread_tokens where ${ofThem}) k
    join tickets t on t.workspace_id = ${workspaceId} and t.id = ${heirId}
    on conflict do nothing`);
}

/** The log of outgoing webhooks holds what events said. Deliveries under way go on. */
async function clearWebhookLog(tx: Tx, workspaceId: WorkspaceId, facts: Sql): Promise<void> {
  await tx.run(sql`
    delete from webhook_deliveries
    where workspace_id = ${workspaceId} and status <> 'pending' and activity_id in ${facts}
      and webhook_id in (select w.id from webhooks w where w.workspace_id = ${workspaceId})`);
}
