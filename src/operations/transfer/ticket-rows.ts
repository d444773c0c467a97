import { type Tx, together } from '../../ground/database/db.ts';
import { pastTransaction } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import { importedColumns, importedValues, replacedColumns } from '../../ground/database/table-sql.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { mailIdKey } from '../../helpdesk/messages/mail-ids.ts';
import { rewriteWords } from '../../helpdesk/messages/words.ts';
import { defaultPriority, priorityKey, rankOfPriority } from '../../helpdesk/tickets/priority.ts';
import { readTicketSearch } from '../../helpdesk/tickets/rows.ts';
import { isCounted, waitingWhereOpen, wholeSummary } from '../../helpdesk/tickets/summary.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { EventRecord, MailRecord, MessageRecord, TicketRecord } from './ticket-records.ts';

/** Writes the rows of a ticket as an import names them. Each function is one statement, or few, for a shared trip. */

type TicketKey = { workspaceId: WorkspaceId; ticketId: TicketId };

/** Writes the row of a ticket, or replaces it. `writeSummary` follows once the messages are there. */
export async function writeTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticket: TicketRecord,
  { number, version }: { number: number; version: number },
): Promise<void> {
  const priority = priorityKey(ticket.priority ?? defaultPriority);
  const tags = ticket.tags ?? [];
  const row = {
    ...rowOf({ updatedAt: ticket.createdAt, lastMessageAt: ticket.createdAt, ...ticket }),
    ticket_number: number,
    version,
    priority,
    priority_rank: rankOfPriority(priority),
    tag_keys: tags.map(caseKey),
  };
  await tx.run(sql`
    insert into tickets (workspace_id, ${importedColumns('tickets')}, message_count, search)
    select ${workspaceId}, ${importedValues('tickets', 'r')}, 0, ''
    from json_populate_record(null::tickets, ${JSON.stringify(row)}::json) r
    on conflict (workspace_id, id) do update
    set ${replacedColumns('tickets', 'excluded')}`);
}

/** Computes the columns of a ticket's row that summarise its messages, people and files. */
export async function writeSummary(tx: Tx, { workspaceId, ticketId }: TicketKey, ticket?: TicketRecord): Promise<void> {
  const search = await readTicketSearch(tx, workspaceId, ticketId);
  const isWaitingKnown = ticket !== undefined && ticket.waitingSince !== undefined;
  const isLastKnown = ticket !== undefined && ticket.lastMessageAt !== undefined;
  await tx.run(sql`
    update tickets t
    set search = ${search}::tsvector, message_count = m.messages,
      last_message_at = case when ${isLastKnown} then t.last_message_at else coalesce(m.last_at, t.created_at) end,
      ${wholeSummary(workspaceId, isWaitingKnown ? sql`t.waiting_since` : waitingWhereOpen(workspaceId))},
      summary_version = t.version
    from (
      select count(*)::integer as messages, max(m.created_at) as last_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${isCounted}
    ) m
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
}

export async function writeMessages(tx: Tx, place: TicketKey, messages: readonly MessageRecord[]): Promise<void> {
  if (messages.length === 0) return;
  const { workspaceId, ticketId } = place;
  const rows = messages.map(storable);
  await tx.run(sql`
    insert into messages (workspace_id, ticket_id, ${importedColumns('messages')})
    select ${workspaceId}, ${ticketId}, ${importedValues('messages', 'r')}
    from json_populate_recordset(null::messages, ${rowsOf(rows)}::json) r
    on conflict (workspace_id, id) do update
    set ticket_id = excluded.ticket_id, search = null, ${replacedColumns('messages', 'excluded')}`);
  const words = messages.map(({ id, subject = null, body }) => ({ messageId: id as MessageId, subject, body }));
  const mails = messages.flatMap(({ id, mails = [] }) => mails.map((mail) => ({ ...mail, messageId: id })));
  await together([
    rewriteWords(tx, workspaceId, words),
    writeAttachments(tx, place, messages),
    writeMailIds(tx, place, messages),
    writeRawMails(tx, workspaceId, mails),
  ]);
}

/**
 * Anybody may have written the file, so its HTML passes the sanitizer. Ranges in the HTML hold only if the sanitizer
 * changed nothing.
 */
function storable(message: MessageRecord): object {
  const { bodyHtml = null, quotedHtmlRanges = null } = message;
  const html = bodyHtml === null ? null : sanitizeHtml(bodyHtml, { keepsMentions: message.authorType === 'agent' });
  const isSame = html === bodyHtml && (quotedHtmlRanges?.every((at) => at <= (html?.length ?? 0)) ?? true);
  return {
    deliveryAttempts: 0,
    arrivedAt: message.createdAt,
    ...message,
    bodyHtml: html,
    quotedHtmlRanges: isSame ? quotedHtmlRanges : null,
  };
}

async function writeAttachments(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  messages: readonly MessageRecord[],
): Promise<void> {
  const rows = messages.flatMap(({ id, attachments = [] }) => attachments.map((each) => ({ ...each, messageId: id })));
  await tx.run(sql`
    delete from attachments
    where workspace_id = ${workspaceId} and message_id = any(${messages.map(({ id }) => id)}::uuid[])`);
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into attachments (workspace_id, ticket_id, message_id, ${importedColumns('attachments')})
    select ${workspaceId}, ${ticketId}, r.message_id, ${importedValues('attachments', 'r')}
    from json_populate_recordset(null::attachments, ${rowsOf(rows)}::json) r`);
}

/** An id that another message has already stays with it. */
async function writeMailIds(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  messages: readonly MessageRecord[],
): Promise<void> {
  const named = messages.flatMap(({ id, mailIds = [] }) => mailIds.map((each) => ({ id, key: mailIdKey(each) })));
  if (named.length === 0) return;
  await tx.run(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
    select distinct on (n.key) ${workspaceId}::uuid, n.key, ${ticketId}::uuid, n.id
    from unnest(${named.map(({ key }) => key)}::text[], ${named.map(({ id }) => id)}::uuid[]) n (key, id)
    order by n.key, n.id
    on conflict (workspace_id, rfc_message_id) do update
    set ticket_id = excluded.ticket_id, message_id = excluded.message_id
    where mail_ids.message_id is null`);
}

/** Ids that the mail of a ticket names. */
export async function writeNamedMailIds(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id)
    select distinct ${workspaceId}::uuid, key, ${ticketId}::uuid from unnest(${ids.map(mailIdKey)}::text[]) key
    on conflict (workspace_id, rfc_message_id) do nothing`);
}

/** By what the help desk before named the conversation. */
export async function writeThreadTokens(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  tokens: NonNullable<TicketRecord['threadTokens']>,
): Promise<void> {
  if (tokens.length === 0) return;
  await tx.run(sql`
    insert into thread_tokens (workspace_id, ticket_id, ${importedColumns('thread_tokens')})
    select ${workspaceId}, ${ticketId}, r.source, lower(r.token)
    from json_populate_recordset(null::thread_tokens, ${rowsOf(tokens)}::json) r
    on conflict do nothing`);
}

/** A mail that is here already, by its bytes or its fingerprint, stays as it is. @returns the number of new mails */
export async function writeRawMails(
  tx: Tx,
  workspaceId: WorkspaceId,
  mails: readonly (MailRecord & { messageId: string | null })[],
): Promise<number> {
  if (mails.length === 0) return 0;
  const rows = mails.map((mail) => ({ fingerprintVersion: 1, ...mail }));
  return tx.run(sql`
    insert into raw_mails (workspace_id, message_id, ${importedColumns('raw_mails')})
    select ${workspaceId}, r.message_id, ${importedValues('raw_mails', 'r')}
    from json_populate_recordset(null::raw_mails, ${rowsOf(rows)}::json) r
    on conflict do nothing
    returning id`);
}

/** History: it is past for streams and webhooks, and notifies nobody. */
export async function writeEvents(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  events: readonly EventRecord[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.run(sql`
    insert into activity (workspace_id, ticket_id, ${importedColumns('activity')}, transaction_id)
    select ${workspaceId}, ${ticketId}, ${importedValues('activity', 'r')}, ${pastTransaction}::xid8
    from json_populate_recordset(null::activity, ${rowsOf(events)}::json) r
    on conflict (workspace_id, id) do nothing`);
}

export async function writePeople(tx: Tx, { workspaceId, ticketId }: TicketKey, ticket: TicketRecord): Promise<void> {
  const { participants = [], followers = [] } = ticket;
  await together([
    participants.length === 0
      ? undefined
      : tx.run(sql`
          insert into ticket_participants (workspace_id, ticket_id, contact_id, is_known)
          select ${workspaceId}, ${ticketId}, r.contact_id, bool_or(r.is_known)
          from json_populate_recordset(null::ticket_participants, ${rowsOf(participants)}::json) r
          group by r.contact_id
          on conflict (workspace_id, ticket_id, contact_id) do nothing`),
    followers.length === 0
      ? undefined
      : tx.run(sql`
          insert into ticket_followers (workspace_id, ticket_id, ${importedColumns('ticket_followers')})
          select ${workspaceId}, ${ticketId}, ${importedValues('ticket_followers', 'r')}
          from json_populate_recordset(null::ticket_followers, ${rowsOf(followers)}::json) r
          on conflict (workspace_id, ticket_id, user_id) do nothing`),
  ]);
}

/** How the ticket was merged, and whether it is a sample. */
export async function writeLinks(
  tx: Tx,
  { workspaceId, ticketId }: TicketKey,
  { merge = null, sample = null }: TicketRecord,
): Promise<void> {
  if (sample !== null)
    await tx.run(sql`
      insert into sample_tickets (workspace_id, ticket_id, ${importedColumns('sample_tickets')})
      select ${workspaceId}, ${ticketId}, ${importedValues('sample_tickets', 'r')}
      from json_populate_record(null::sample_tickets, ${JSON.stringify(rowOf(sample))}::json) r
      on conflict (workspace_id, ticket_id) do nothing`);
  await tx.run(sql`delete from ticket_merges where workspace_id = ${workspaceId} and source_id = ${ticketId}`);
  if (merge === null) return;
  await tx.run(sql`
    insert into ticket_merges (workspace_id, source_id, ${importedColumns('ticket_merges')})
    select ${workspaceId}, ${ticketId}, ${importedValues('ticket_merges', 'r')}
    from json_populate_record(null::ticket_merges, ${JSON.stringify(rowOf(merge))}::json) r`);
  await tx.run(sql`
    insert into merged_messages (workspace_id, merge_id, message_id)
    select distinct ${workspaceId}::uuid, ${merge.id}::uuid, id from unnest(${merge.messageIds}::uuid[]) id`);
}
