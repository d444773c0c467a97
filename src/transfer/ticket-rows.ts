import { type Tx, together } from '../database/db.ts';
import { pastTransaction } from '../database/moment.ts';
import { sql } from '../database/sql.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { messageSearchVector } from '../messages/insert-message.ts';
import { mailIdKey } from '../messages/mail-ids.ts';
import { defaultPriority, priorityKey, rankOfPriority } from '../tickets/priority.ts';
import { readTicketSearch } from '../tickets/rows.ts';
import { isCounted, waitingWhereOpen, wholeSummary } from '../tickets/summary.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { EventRecord, MailRecord, MessageRecord, TicketRecord } from './ticket-records.ts';

/** Writes the rows of a ticket as an import names them. Each function is one statement, or few, for a shared trip. */

type Place = { workspaceId: WorkspaceId; ticketId: TicketId };

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
    ...rowOf({ isImportOnly: false, tags, updatedAt: ticket.createdAt, lastMessageAt: ticket.createdAt, ...ticket }),
    ticket_number: number,
    version,
    priority,
    priority_rank: rankOfPriority(priority),
    tag_keys: tags.map(caseKey),
  };
  await tx.run(sql`
    insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, assignee_id, tags,
      tag_keys, requester_id, channel, mailbox_id, archived_at, snoozed_until, merged_into_id, message_count,
      last_message_at, created_at, updated_at, version, is_import_only, search, waiting_since, closed_at,
      trashed_at, spam_at, spam_reason, continued_in_id, missed_message_id)
    select ${workspaceId}, r.id, r.ticket_number, r.subject, r.status, r.priority, r.priority_rank, r.assignee_id,
      r.tags, r.tag_keys, r.requester_id, r.channel, r.mailbox_id, r.archived_at, r.snoozed_until, r.merged_into_id, 0,
      r.last_message_at, r.created_at, r.updated_at, r.version, r.is_import_only, '', r.waiting_since, r.closed_at,
      r.trashed_at, r.spam_at, r.spam_reason, r.continued_in_id, r.missed_message_id
    from json_populate_record(null::tickets, ${JSON.stringify(row)}::json) r
    on conflict (workspace_id, id) do update
    set subject = excluded.subject, status = excluded.status, priority = excluded.priority,
      priority_rank = excluded.priority_rank, assignee_id = excluded.assignee_id, tags = excluded.tags,
      tag_keys = excluded.tag_keys, requester_id = excluded.requester_id, channel = excluded.channel,
      mailbox_id = excluded.mailbox_id, archived_at = excluded.archived_at, snoozed_until = excluded.snoozed_until,
      merged_into_id = excluded.merged_into_id, last_message_at = excluded.last_message_at,
      created_at = excluded.created_at, updated_at = excluded.updated_at, version = excluded.version,
      is_import_only = excluded.is_import_only, waiting_since = excluded.waiting_since, closed_at = excluded.closed_at,
      trashed_at = excluded.trashed_at, spam_at = excluded.spam_at, spam_reason = excluded.spam_reason,
      continued_in_id = excluded.continued_in_id, missed_message_id = excluded.missed_message_id`);
}

/** Computes the columns of a ticket's row that summarise its messages, people and files. */
export async function writeSummary(tx: Tx, { workspaceId, ticketId }: Place, ticket?: TicketRecord): Promise<void> {
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

export async function writeMessages(tx: Tx, place: Place, messages: readonly MessageRecord[]): Promise<void> {
  if (messages.length === 0) return;
  const { workspaceId, ticketId } = place;
  const rows = messages.map((message) => ({
    ...storable(message),
    search: messageSearchVector(workspaceId, message.body, message.subject),
  }));
  await tx.run(sql`
    insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, author_contact_id,
      author_name, author_email, body, body_html, reply_text, quoted_html_ranges, to_addresses, cc_addresses,
      bcc_addresses, reply_to_addresses, delivered_to_addresses, envelope_from, rfc_message_id, automatic_kind,
      threading, authentication, truncated, forward_of_id, delivery_status, delivery_error, delivery_attempts, is_file,
      delivery_bounce_kind, delivery_enhanced_status_code, delivery_sent_at, delivery_handled_at, created_at, sent_at,
      arrived_at, redacted_at, redacted_by, subject, search)
    select ${workspaceId}, r.id, ${ticketId}, r.direction, r.author_type, r.author_user_id, r.author_contact_id,
      r.author_name, r.author_email, r.body, r.body_html, r.reply_text, r.quoted_html_ranges, r.to_addresses,
      r.cc_addresses, r.bcc_addresses, r.reply_to_addresses, r.delivered_to_addresses, r.envelope_from,
      r.rfc_message_id, r.automatic_kind, r.threading, r.authentication, r.truncated, r.forward_of_id,
      r.delivery_status, r.delivery_error, r.delivery_attempts, coalesce(r.is_file, false), r.delivery_bounce_kind,
      r.delivery_enhanced_status_code, r.delivery_sent_at, r.delivery_handled_at, r.created_at, r.sent_at,
      r.arrived_at, r.redacted_at, r.redacted_by, r.subject, r.search
    from json_populate_recordset(null::messages, ${rowsOf(rows)}::json) r
    on conflict (workspace_id, id) do update
    set ${replacedColumns}`);
  const mails = messages.flatMap(({ id, mails = [] }) => mails.map((mail) => ({ ...mail, messageId: id })));
  await together([
    writeAttachments(tx, place, messages),
    writeMailIds(tx, place, messages),
    writeRawMails(tx, workspaceId, mails),
  ]);
}

/** The columns that a later import replaces in a message. */
const replacedColumns = sql`ticket_id = excluded.ticket_id, author_name = excluded.author_name,
      author_email = excluded.author_email, subject = excluded.subject,
      body = excluded.body, body_html = excluded.body_html,
      reply_text = excluded.reply_text, quoted_html_ranges = excluded.quoted_html_ranges,
      to_addresses = excluded.to_addresses, cc_addresses = excluded.cc_addresses, search = excluded.search,
      threading = excluded.threading, delivery_status = excluded.delivery_status,
      delivery_error = excluded.delivery_error, delivery_attempts = excluded.delivery_attempts,
      delivery_bounce_kind = excluded.delivery_bounce_kind, delivery_sent_at = excluded.delivery_sent_at,
      delivery_enhanced_status_code = excluded.delivery_enhanced_status_code,
      is_file = excluded.is_file, delivery_handled_at = excluded.delivery_handled_at,
      redacted_at = excluded.redacted_at, redacted_by = excluded.redacted_by`;

/**
 * Anybody may have written the file, so its HTML passes the sanitizer. Ranges in the HTML hold only if the sanitizer
 * changed nothing.
 */
function storable(message: MessageRecord): object {
  const { bodyHtml = null, quotedHtmlRanges = null } = message;
  const html = bodyHtml === null ? null : sanitizeHtml(bodyHtml, { keepsMentions: message.authorType === 'agent' });
  const isSame = html === bodyHtml && (quotedHtmlRanges?.every((at) => at <= (html?.length ?? 0)) ?? true);
  return {
    toAddresses: [],
    ccAddresses: [],
    bccAddresses: [],
    replyToAddresses: [],
    deliveredToAddresses: [],
    deliveryAttempts: 0,
    truncated: [],
    arrivedAt: message.createdAt,
    ...message,
    bodyHtml: html,
    quotedHtmlRanges: isSame ? quotedHtmlRanges : null,
  };
}

async function writeAttachments(
  tx: Tx,
  { workspaceId, ticketId }: Place,
  messages: readonly MessageRecord[],
): Promise<void> {
  const rows = messages.flatMap(({ id, attachments = [] }) =>
    attachments.map((each) => ({ isInline: false, ...each, messageId: id })),
  );
  await tx.run(sql`
    delete from attachments
    where workspace_id = ${workspaceId} and message_id = any(${messages.map(({ id }) => id)}::uuid[])`);
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into attachments (workspace_id, id, ticket_id, message_id, file_name, content_type, size_bytes, sha256,
      content_id, is_inline, uploaded_by, created_at)
    select ${workspaceId}, r.id, ${ticketId}, r.message_id, r.file_name, r.content_type, r.size_bytes, r.sha256,
      r.content_id, r.is_inline, r.uploaded_by, r.created_at
    from json_populate_recordset(null::attachments, ${rowsOf(rows)}::json) r`);
}

/** An id that another message has already stays with it. */
async function writeMailIds(
  tx: Tx,
  { workspaceId, ticketId }: Place,
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
  { workspaceId, ticketId }: Place,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id)
    select distinct ${workspaceId}::uuid, key, ${ticketId}::uuid from unnest(${ids.map(mailIdKey)}::text[]) key
    on conflict (workspace_id, rfc_message_id) do nothing`);
}

/** A mail that is here already, by its bytes or its fingerprint, stays as it is. @returns the number of new mails */
export async function writeRawMails(
  tx: Tx,
  workspaceId: WorkspaceId,
  mails: readonly (MailRecord & { messageId: string | null })[],
): Promise<number> {
  if (mails.length === 0) return 0;
  const rows = mails.map((mail) => ({ fingerprintVersion: 1, envelopeTo: [], isHistory: false, ...mail }));
  return tx.run(sql`
    insert into raw_mails (workspace_id, id, sha256, size_bytes, source, mailbox_id, state, fingerprint,
      fingerprint_version, message_id, note, received_at, envelope_from, envelope_to, is_history, envelope_peer,
      envelope_helo, erased_at, discarded_at)
    select ${workspaceId}, r.id, r.sha256, r.size_bytes, r.source, r.mailbox_id, r.state, r.fingerprint,
      r.fingerprint_version, r.message_id, r.note, r.received_at, r.envelope_from, r.envelope_to, r.is_history,
      r.envelope_peer, r.envelope_helo, r.erased_at, r.discarded_at
    from json_populate_recordset(null::raw_mails, ${rowsOf(rows)}::json) r
    on conflict do nothing
    returning id`);
}

/** History: it is past for streams and webhooks, and notifies nobody. */
export async function writeEvents(
  tx: Tx,
  { workspaceId, ticketId }: Place,
  events: readonly EventRecord[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.run(sql`
    insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at,
      transaction_id)
    select ${workspaceId}, r.id, ${ticketId}, r.type, r.actor_type, r.actor_user_id, r.data, r.created_at,
      ${pastTransaction}::xid8
    from json_populate_recordset(null::activity, ${rowsOf(events)}::json) r
    on conflict (workspace_id, id) do nothing`);
}

export async function writePeople(tx: Tx, { workspaceId, ticketId }: Place, ticket: TicketRecord): Promise<void> {
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
          insert into ticket_followers (workspace_id, ticket_id, user_id, created_at)
          select ${workspaceId}, ${ticketId}, r.user_id, r.created_at
          from json_populate_recordset(null::ticket_followers, ${rowsOf(followers)}::json) r
          on conflict (workspace_id, ticket_id, user_id) do nothing`),
  ]);
}

/** How the ticket was merged, and whether it is a sample. */
export async function writeLinks(
  tx: Tx,
  { workspaceId, ticketId }: Place,
  { merge = null, sample = null }: TicketRecord,
): Promise<void> {
  if (sample !== null)
    await tx.run(sql`
      insert into sample_tickets (workspace_id, ticket_id, script, replies, answered_id)
      values (${workspaceId}, ${ticketId}, ${sample.script}, ${sample.replies}, ${sample.answeredId})
      on conflict (workspace_id, ticket_id) do nothing`);
  await tx.run(sql`delete from ticket_merges where workspace_id = ${workspaceId} and source_id = ${ticketId}`);
  if (merge === null) return;
  const row = rowOf({ broughtTagKeys: [], broughtContactIds: [], ...merge });
  await tx.run(sql`
    insert into ticket_merges (workspace_id, id, source_id, target_id, source_status, source_archived_at,
      source_snoozed_until, brought_tag_keys, brought_contact_ids, merged_at)
    select ${workspaceId}, r.id, ${ticketId}, r.target_id, r.source_status, r.source_archived_at,
      r.source_snoozed_until, r.brought_tag_keys, r.brought_contact_ids, r.merged_at
    from json_populate_record(null::ticket_merges, ${JSON.stringify(row)}::json) r`);
  await tx.run(sql`
    insert into merged_messages (workspace_id, merge_id, message_id)
    select distinct ${workspaceId}::uuid, ${merge.id}::uuid, id from unnest(${merge.messageIds}::uuid[]) id`);
}
