import type { WorkspaceId } from '../lib/ids.ts';
import type { RecordFile } from './format.ts';

/**
 * The statements that read a workspace as JSON lines, for COPY, which takes no parameters. Each has one order, so that
 * the same rows always make the same bytes. They name each column, so that a new column is left out until somebody
 * decides on it: secrets never leave by default.
 */

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** For the two columns that have microseconds. */
const fineTime = (column: string): string => time(column).replace('MS', 'US');

const attachment = `a.id, a.file_name as "fileName", a.content_type as "contentType", a.size_bytes as "sizeBytes",
  a.sha256, a.content_id as "contentId", a.is_inline as "isInline", a.uploaded_by as "uploadedBy",
  ${time('a.created_at')} as "createdAt"`;

const rawMail = `r.id, r.sha256, r.size_bytes as "sizeBytes", r.source, r.mailbox_id as "mailboxId", r.state,
  r.fingerprint, r.fingerprint_version as "fingerprintVersion", r.note, r.envelope_from as "envelopeFrom",
  r.envelope_to as "envelopeTo", r.envelope_peer as "envelopePeer", r.envelope_helo as "envelopeHelo",
  r.is_history as "isHistory", ${time('r.received_at')} as "receivedAt", ${time('r.erased_at')} as "erasedAt",
  ${time('r.discarded_at')} as "discardedAt"`;

/** An array of objects, `[]` for none. The rows come in the order of `by`. */
const listOf = (columns: string, from: string, by: string): string =>
  `coalesce((select json_agg(row_to_json(x)) from (select ${columns} from ${from} order by ${by}) x), '[]')`;

const linesOf = (columns: string, from: string, by: string): string =>
  `select row_to_json(x) from (select ${columns} from ${from} order by ${by}) x`;

/** @param id a UUID, as the database gave it */
export const workspaceLiteral = (id: WorkspaceId): string => `'${id}'::uuid`;

/** Records of all kinds but tickets. */
export function recordStatements(workspaceId: WorkspaceId): Record<Exclude<RecordFile, 'tickets'>, string> {
  const workspace = workspaceLiteral(workspaceId);
  return { ...peopleStatements(workspace), ...settingStatements(workspace) };
}

function peopleStatements(workspace: string) {
  return {
    workspace: linesOf(
      `w.id, w.name, w.require_second_factor as "requireSecondFactor", w.tag_colours as "tagColours",
        w.own_addresses as "ownAddresses", n.last_number as "lastTicketNumber",
        ${time('w.created_at')} as "createdAt"`,
      `workspaces w join ticket_counters n on n.workspace_id = w.id where w.id = ${workspace}`,
      'w.id',
    ),
    members: linesOf(
      `u.id, u.email, u.name, m.role, m.signature_html as "signatureHtml", ${time('m.created_at')} as "createdAt",
        ${time('m.removed_at')} as "removedAt"`,
      `(${peopleIn(workspace)}) p join users u on u.id = p.id
        left join members m on m.workspace_id = ${workspace} and m.user_id = u.id`,
      'u.id',
    ),
    mailboxes: linesOf(
      `b.id, b.provider, b.address, b.name, b.aliases, b.delegate_address as "delegateAddress", b.signature,
        b.default_assignee_id as "defaultAssigneeId", b.default_tags as "defaultTags",
        b.history_days as "historyDays", ${time('b.connected_at')} as "connectedAt",
        ${time('b.created_at')} as "createdAt", ${time('b.updated_at')} as "updatedAt"`,
      `mailboxes b where b.workspace_id = ${workspace}`,
      'b.id',
    ),
    contacts: linesOf(
      `c.id, c.email, c.name, c.name_claim as "nameClaim", c.merged_into_id as "mergedIntoId",
        c.shows_remote_images as "showsRemoteImages", ${time('c.created_at')} as "createdAt",
        ${time('c.erased_at')} as "erasedAt"`,
      `contacts c where c.workspace_id = ${workspace}`,
      'c.merged_into_id is not null, c.id',
    ),
    'blocked-senders': linesOf(
      `b.id, b.sender, b.created_by as "createdBy", ${time('b.created_at')} as "createdAt"`,
      `blocked_senders b where b.workspace_id = ${workspace}`,
      'b.id',
    ),
    mails: linesOf(
      rawMail,
      `raw_mails r where r.workspace_id = ${workspace} and r.message_id is null and r.state <> 'pending'`,
      'r.id',
    ),
  };
}

function settingStatements(workspace: string) {
  return {
    'saved-replies': linesOf(
      `s.id, s.owner_id as "ownerId", s.created_by as "createdBy", s.name, s.shortcut, s.subject, s.body,
        s.body_html as "bodyHtml", s.actions, s.version, ${time('s.created_at')} as "createdAt",
        ${time('s.updated_at')} as "updatedAt",
        ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.saved_reply_id = s.id`, 'a.id')}
          as attachments`,
      `saved_replies s where s.workspace_id = ${workspace}`,
      's.id',
    ),
    views: linesOf(
      `v.id, v.owner_id as "ownerId", v.created_by as "createdBy", v.name, v.query,
        ${time('v.created_at')} as "createdAt", ${time('v.updated_at')} as "updatedAt"`,
      `views v where v.workspace_id = ${workspace}`,
      'v.id',
    ),
    drafts: linesOf(
      `d.id, d.user_id as "userId", d.ticket_id as "ticketId", d.kind, d.subject, d.body, d.body_html as "bodyHtml",
        d.to_addresses as "toAddresses", d.cc_addresses as "ccAddresses", d.bcc_addresses as "bccAddresses",
        d.attachment_ids as "attachmentIds", d.mailbox_id as "mailboxId",
        d.last_seen_message_id as "lastSeenMessageId", d.quote, d.forward_of_id as "forwardOfId",
        d.saved_reply_id as "savedReplyId", d.runs_actions as "runsActions", d.version,
        ${time('d.created_at')} as "createdAt", ${time('d.updated_at')} as "updatedAt",
        ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.draft_id = d.id`, 'a.id')}
          as attachments`,
      `drafts d where d.workspace_id = ${workspace}`,
      'd.id',
    ),
    audit: linesOf(
      `l.id, l.type, l.actor_user_id as "actorUserId", l.actor_key_id as "actorKeyId", l.subject_id as "subjectId",
        l.data, l.ip, l.user_agent as "userAgent", l.correlation_id as "correlationId",
        ${time('l.created_at')} as "createdAt"`,
      `audit_log l where l.workspace_id = ${workspace}`,
      'l.id',
    ),
  };
}

/** Members, and people who were members when they did what records tell of them. */
function peopleIn(workspace: string): string {
  const named = [
    'user_id as id from members',
    'author_user_id from messages',
    'redacted_by from messages',
    'actor_user_id from activity',
    'actor_user_id from audit_log',
    'created_by from blocked_senders',
    'created_by from saved_replies',
    'created_by from views',
    'user_id from drafts',
  ];
  return named.map((column) => `select ${column} where workspace_id = ${workspace}`).join(' union ');
}

/** The ids of all tickets. A merged ticket comes after the ticket into which it was merged. */
export function ticketIdsStatement(workspaceId: WorkspaceId): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    with recursive placed (id, depth) as (
      select id, 0 from tickets where workspace_id = ${workspace} and merged_into_id is null
      union all
      select t.id, p.depth + 1
      from tickets t
      join placed p on t.merged_into_id = p.id
      where t.workspace_id = ${workspace}
    )
    select id from placed order by depth, id`;
}

/** Tickets, each with its messages and events behind it. */
export function ticketsStatement(workspaceId: WorkspaceId, ticketIds: readonly string[]): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    with picked (id, place) as materialized (
      select id, place from unnest('{${ticketIds.join()}}'::uuid[]) with ordinality p (id, place)
    )
    select line from (
      select p.place, 1 as part, null::timestamptz as at, t.id, row_to_json(x) as line
      from picked p
      join tickets t on t.workspace_id = ${workspace} and t.id = p.id
      cross join lateral (select ${ticketColumns(workspace)}) x
      union all
      select p.place, 2, m.created_at, m.id, row_to_json(x)
      from picked p
      join messages m on m.workspace_id = ${workspace} and m.ticket_id = p.id
      cross join lateral (select ${messageColumns(workspace)}) x
      union all
      select p.place, 3, null, e.id, row_to_json(x)
      from picked p
      join activity e on e.workspace_id = ${workspace} and e.ticket_id = p.id
      cross join lateral (
        select 'event' as kind, e.id, e.type, e.actor_type as "actorType", e.actor_user_id as "actorUserId", e.data,
          ${time('e.created_at')} as "createdAt"
      ) x
    ) lines
    order by place, part, at, id`;
}

function ticketColumns(workspace: string): string {
  const ofTicket = (table: string, alias: string) =>
    `${table} ${alias} where ${alias}.workspace_id = ${workspace} and ${alias}.ticket_id = t.id`;
  return `'ticket' as kind, t.id, t.ticket_number as number, t.subject, t.status, t.priority,
    t.assignee_id as "assigneeId", t.tags, t.requester_id as "requesterId", t.channel, t.mailbox_id as "mailboxId",
    t.is_import_only as "isImportOnly", t.spam_reason as "spamReason", t.merged_into_id as "mergedIntoId",
    t.continued_in_id as "continuedInId",
    t.missed_message_id as "missedMessageId", t.version, ${time('t.created_at')} as "createdAt",
    ${time('t.updated_at')} as "updatedAt", ${time('t.last_message_at')} as "lastMessageAt",
    ${time('t.waiting_since')} as "waitingSince", ${fineTime('t.closed_at')} as "closedAt",
    ${time('t.snoozed_until')} as "snoozedUntil", ${time('t.archived_at')} as "archivedAt",
    ${time('t.spam_at')} as "spamAt", ${time('t.trashed_at')} as "trashedAt",
    ${listOf(
      'p.contact_id as "contactId", p.is_known as "isKnown"',
      ofTicket('ticket_participants', 'p'),
      'p.contact_id',
    )} as participants,
    ${listOf(
      `f.user_id as "userId", ${time('f.created_at')} as "createdAt"`,
      ofTicket('ticket_followers', 'f'),
      'f.user_id',
    )} as followers,
    array(
      select i.rfc_message_id from ${ofTicket('mail_ids', 'i')} and i.message_id is null
      order by i.rfc_message_id collate "C"
    ) as "namedMailIds",
    (
      select row_to_json(g) from (
        select s.script, s.replies, s.answered_id as "answeredId" from ${ofTicket('sample_tickets', 's')}
      ) g
    ) as sample,
    (
      select row_to_json(g) from (
        select k.id, k.target_id as "targetId", k.source_status as "sourceStatus",
          k.brought_tag_keys as "broughtTagKeys", k.brought_contact_ids as "broughtContactIds",
          ${time('k.source_archived_at')} as "sourceArchivedAt",
          ${time('k.source_snoozed_until')} as "sourceSnoozedUntil",
          ${time('k.merged_at')} as "mergedAt",
          array(
            select b.message_id from merged_messages b
            where b.workspace_id = ${workspace} and b.merge_id = k.id order by b.message_id
          ) as "messageIds"
        from ticket_merges k where k.workspace_id = ${workspace} and k.source_id = t.id
      ) g
    ) as merge`;
}

/** A message that waits to be sent is uncertain in an export, because the exported workspace still sends it. */
function messageColumns(workspace: string): string {
  return `'message' as kind, m.id, m.direction, m.author_type as "authorType", m.author_user_id as "authorUserId",
    m.author_contact_id as "authorContactId", m.author_name as "authorName", m.author_email as "authorEmail",
    m.subject, m.body, m.body_html as "bodyHtml", m.reply_text as "replyText",
    m.quoted_html_ranges as "quotedHtmlRanges", m.to_addresses as "toAddresses",
    m.cc_addresses as "ccAddresses", m.bcc_addresses as "bccAddresses",
    m.reply_to_addresses as "replyToAddresses", m.delivered_to_addresses as "deliveredToAddresses",
    m.envelope_from as "envelopeFrom", m.rfc_message_id as "rfcMessageId", m.automatic_kind as "automaticKind",
    m.threading, m.authentication, m.truncated, m.forward_of_id as "forwardOfId",
    case when m.delivery_status in ('queued', 'sending') then 'uncertain' else m.delivery_status end
      as "deliveryStatus",
    m.delivery_error as "deliveryError", m.delivery_attempts as "deliveryAttempts",
    nullif(m.is_file, false) as "isFile",
    m.delivery_bounce_kind as "deliveryBounceKind", m.delivery_enhanced_status_code as "deliveryEnhancedStatusCode",
    ${time('m.delivery_sent_at')} as "deliverySentAt", ${time('m.delivery_handled_at')} as "deliveryHandledAt",
    ${time('m.created_at')} as "createdAt", ${time('m.sent_at')} as "sentAt",
    ${time('m.redacted_at')} as "redactedAt", m.redacted_by as "redactedBy",
    ${fineTime('m.arrived_at')} as "arrivedAt",
    array(
      select i.rfc_message_id from mail_ids i where i.workspace_id = ${workspace} and i.message_id = m.id
      order by i.rfc_message_id collate "C"
    ) as "mailIds",
    ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.message_id = m.id`, 'a.id')}
      as attachments,
    ${listOf(rawMail, `raw_mails r where r.workspace_id = ${workspace} and r.message_id = m.id`, 'r.id')} as mails`;
}

/** The files and mails of a workspace: `file` or `mail`, tab, SHA-256. */
export function contentsStatement(workspaceId: WorkspaceId): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    select 'file' as kind, a.sha256 from attachments a
    where a.workspace_id = ${workspace} and coalesce(a.message_id, a.draft_id, a.saved_reply_id) is not null
    union
    select 'mail', r.sha256 from raw_mails r
    where r.workspace_id = ${workspace} and r.state <> 'pending' and r.erased_at is null
    order by 1, 2`;
}
