import type { Actor } from '../catalog/actor.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Queryable, together } from '../platform/db.ts';
import { quick, type Sql, sql } from '../platform/sql.ts';
import type { OwnAddress } from '../workspaces/own-address.ts';
import type { DraftHead } from './draft-schema.ts';
import type { StoredMessage } from './message-schema.ts';
import type { ListedTicket, Ticket } from './schema.ts';

/** What a ticket's row keeps of its messages, under wire names; `t` is the ticket. */
export const summaryColumns: Sql = sql`t.last_message_id as "lastMessageId",
  t.last_message_direction as "lastMessageDirection", t.last_message_author as "lastMessageAuthor",
  t.last_message_snippet as "lastMessageSnippet", t.attachment_count as "attachmentCount",
  t.delivery_problem as "deliveryProblem", t.waiting_since as "waitingSince"`;

/** A ticket's columns under their wire names; `t` is the ticket, `c` its requester's contact. */
export const ticketColumns: Sql = sql`t.id, t.ticket_number as "ticketNumber", t.subject, t.status, t.priority,
  t.assignee_id as "assigneeId", t.tags, t.requester_id as "requesterId", c.email as "requesterEmail", c.name as "requesterName",
  t.channel, t.mailbox_id as "mailboxId", t.archived_at as "archivedAt", t.snoozed_until as "snoozedUntil",
  t.merged_into_id as "mergedIntoId", t.message_count as "messageCount", t.last_message_at as "lastMessageAt",
  ${summaryColumns}, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;

/** What a ticket is to one member alone; `t` is the ticket. */
export function memberColumns({ workspaceId, userId }: Actor): Sql {
  return sql`exists (
      select from unread_tickets u
      where u.workspace_id = ${workspaceId} and u.user_id = ${userId} and u.ticket_id = t.id
    ) as unread,
    exists (
      select from drafts d where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and d.ticket_id = t.id
    ) as "hasDraft"`;
}

type Requester = NonNullable<Ticket['requester']>;
type LastMessage = NonNullable<Ticket['lastMessage']>;

export type TicketRow = Omit<Ticket, 'requester' | keyof Summary> &
  SummaryRow & {
    requesterId: Requester['contactId'] | null;
    requesterEmail: Requester['email'] | null;
    requesterName: Requester['name'];
  };
export type Summary = Pick<Ticket, 'lastMessage' | 'attachmentCount' | 'deliveryProblem' | 'waitingSince'>;
export type SummaryRow = Omit<Summary, 'lastMessage'> & {
  lastMessageId: LastMessage['id'] | null;
  lastMessageDirection: LastMessage['direction'];
  lastMessageAuthor: LastMessage['authorName'];
  lastMessageSnippet: LastMessage['snippet'];
};
export type ListedTicketRow = TicketRow & Pick<ListedTicket, 'unread' | 'hasDraft'>;

export function listedTicketOf(row: ListedTicketRow): ListedTicket {
  // Not spread: a list has a hundred of them.
  const ticket = ticketOf(row) as ListedTicket;
  ticket.unread = row.unread;
  ticket.hasDraft = row.hasDraft;
  return ticket;
}

export function ticketOf(row: TicketRow): Ticket {
  // Named one by one: a list has a hundred of them, and leaving out what is not wanted takes ten times as long.
  return {
    id: row.id,
    ticketNumber: row.ticketNumber,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    assigneeId: row.assigneeId,
    tags: row.tags,
    requester:
      row.requesterId === null || row.requesterEmail === null
        ? null
        : { contactId: row.requesterId, email: row.requesterEmail, name: row.requesterName },
    channel: row.channel,
    mailboxId: row.mailboxId,
    archivedAt: row.archivedAt,
    snoozedUntil: row.snoozedUntil,
    mergedIntoId: row.mergedIntoId,
    messageCount: row.messageCount,
    lastMessage: lastMessageOf(row),
    lastMessageAt: row.lastMessageAt,
    attachmentCount: row.attachmentCount,
    deliveryProblem: row.deliveryProblem,
    waitingSince: row.waitingSince,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}

function lastMessageOf(row: SummaryRow): Ticket['lastMessage'] {
  const { lastMessageId: id, lastMessageDirection: direction, lastMessageAuthor: authorName } = row;
  return id === null ? null : { id, direction, authorName, snippet: row.lastMessageSnippet };
}

export function summaryOf(row: SummaryRow): Summary {
  const { attachmentCount, deliveryProblem, waitingSince } = row;
  return { lastMessage: lastMessageOf(row), attachmentCount, deliveryProblem, waitingSince };
}

type MessageColumns = Omit<
  StoredMessage,
  'id' | 'attachments' | 'author' | 'delivery' | 'createdAt' | 'isInternal' | 'ticketId'
> & {
  messageId: string;
  authorType: 'customer' | 'agent' | 'system';
  authorUserId: string | null;
  authorName: string | null;
  authorEmail: string | null;
  deliveryStatus: NonNullable<StoredMessage['delivery']>['status'] | null;
  deliveryError: string | null;
  deliverySentAt: string | null;
  deliveryAttempts: number;
  deliveryNextAttemptAt: string | null;
  bounceKind: NonNullable<StoredMessage['delivery']>['bounceKind'];
  enhancedStatusCode: string | null;
  truncated: StoredMessage['truncated'];
  messageCreatedAt: string;
  sentAt: string | null;
  attachments: StoredMessage['attachments'] | null;
};

/** A message's columns; `m` is the message. Its attachments come as JSON, or as null: few messages have any. */
function messageColumns(workspaceId: WorkspaceId, mayHaveFiles: Sql = sql`true`): Sql {
  return sql`m.id as "messageId", m.direction, m.author_type as "authorType", m.author_user_id as "authorUserId",
    m.author_name as "authorName", m.author_email as "authorEmail", m.body, m.body_html as "bodyHtml",
    m.reply_text as "replyText", m.quoted_html_ranges as "quotedHtmlRanges", m.to_addresses as "to", m.cc_addresses as cc,
    m.bcc_addresses as bcc, m.forward_of_id as "forwardOf", m.reply_to_addresses as "replyTo",
    m.delivered_to_addresses as "deliveredTo", m.delivery_status as "deliveryStatus",
    m.delivery_error as "deliveryError", m.delivery_sent_at as "deliverySentAt", m.delivery_attempts as "deliveryAttempts",
    m.delivery_next_attempt_at as "deliveryNextAttemptAt", m.delivery_bounce_kind as "bounceKind",
    m.delivery_enhanced_status_code as "enhancedStatusCode", m.truncated, m.automatic_kind as "automaticKind",
    m.envelope_from as "envelopeFrom", m.authentication,
    (m.threading->>'isSenderKnown')::boolean as "isSenderKnown",
    m.created_at as "messageCreatedAt", m.sent_at as "sentAt", case when ${mayHaveFiles} then (
      select json_agg(json_build_object('id', a.id, 'fileName', a.file_name, 'contentType', a.content_type,
        'size', a.size_bytes, 'sha256', a.sha256, 'contentId', a.content_id, 'isInline', a.is_inline,
        'createdAt', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by a.id)
      from attachments a
      where a.workspace_id = ${workspaceId} and a.message_id = m.id
    ) end as attachments`;
}

function messageOf(ticketId: TicketId, row: MessageColumns): StoredMessage {
  const { deliveryStatus } = row;
  const isInbound = row.direction === 'inbound';
  return {
    id: row.messageId,
    ticketId,
    direction: row.direction,
    author: { type: row.authorType, userId: row.authorUserId, name: row.authorName, email: row.authorEmail },
    body: row.body,
    bodyHtml: row.bodyHtml,
    replyText: row.replyText,
    quotedHtmlRanges: row.quotedHtmlRanges,
    isInternal: row.direction === 'internal',
    to: row.to,
    cc: row.cc,
    bcc: row.bcc,
    forwardOf: row.forwardOf,
    replyTo: row.replyTo,
    envelopeFrom: isInbound ? row.envelopeFrom : null,
    authentication: isInbound ? row.authentication : null,
    isSenderKnown: isInbound ? row.isSenderKnown : null,
    deliveredTo: row.deliveredTo,
    attachments: row.attachments ?? [],
    delivery:
      deliveryStatus === null
        ? null
        : {
            status: deliveryStatus,
            error: row.deliveryError,
            sentAt: row.deliverySentAt,
            attempts: row.deliveryAttempts,
            nextAttemptAt: row.deliveryNextAttemptAt,
            bounceKind: deliveryStatus === 'bounced' ? row.bounceKind : null,
            enhancedStatusCode: deliveryStatus === 'bounced' ? row.enhancedStatusCode : null,
          },
    automaticKind: row.automaticKind,
    createdAt: row.messageCreatedAt,
    sentAt: row.sentAt,
    truncated: row.truncated,
  };
}

/**
 * One ticket with its messages, oldest first, in one round trip, and with what the workspace's own addresses are known by, who
 * are nobody to reply to; undefined when the workspace has no such ticket.
 */
export async function findTicketWithMessages(
  db: Queryable,
  actor: Actor,
  ticketId: TicketId,
): Promise<
  (ListedTicket & { drafts: DraftHead[]; messages: StoredMessage[]; own: Omit<OwnAddress, 'mailFrom'> }) | undefined
> {
  const { workspaceId } = actor;
  // The ticket first: of a change between the two its version knows nothing, so that nobody overwrites what they have not seen.
  const [found, messages] = await together([
    db.maybe<ListedTicketRow & { drafts: DraftHead[] | null; inboundLocalPart: string; mailboxAddresses: string[] }>(
      quick(sql`
      select ${ticketColumns}, ${memberColumns(actor)},
        (select i.local_part from inbound_addresses i where i.workspace_id = ${workspaceId}) as "inboundLocalPart",
        array(
          select unnest(array_prepend(b.address, b.aliases))
          from mailboxes b
          where b.workspace_id = ${workspaceId} and b.status <> 'disconnected'
        ) as "mailboxAddresses",
        (
          select json_agg(json_build_object('id', d.id, 'userId', d.user_id, 'kind', d.kind,
            'updatedAt', to_char(d.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by d.id)
          from drafts d
          where d.workspace_id = ${workspaceId} and d.ticket_id = ${ticketId}
        ) as drafts
      from tickets t
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`),
    ),
    listMessages(db, workspaceId, ticketId),
  ]);
  if (found === undefined) return undefined;
  const { inboundLocalPart: localPart, mailboxAddresses } = found;
  return { ...listedTicketOf(found), drafts: found.drafts ?? [], messages, own: { localPart, mailboxAddresses } };
}

/** @returns undefined when the workspace has no ticket of this number */
export async function findTicketIdByNumber(
  db: Queryable,
  workspaceId: WorkspaceId,
  ticketNumber: number,
): Promise<TicketId | undefined> {
  const found = await db.maybe<{ id: TicketId }>(
    quick(sql`select t.id from tickets t where t.workspace_id = ${workspaceId} and t.ticket_number = ${ticketNumber}`),
  );
  return found?.id;
}

async function listMessages(db: Queryable, workspaceId: WorkspaceId, ticketId: TicketId): Promise<StoredMessage[]> {
  // Looked up once a ticket, where its files would be once a message.
  const hasFiles = sql`(
    select exists (select from attachments f where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId}))`;
  const rows = await db.rows<MessageColumns>(
    quick(sql`
    select ${messageColumns(workspaceId, hasFiles)}
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId}
    order by m.created_at, m.id`),
  );
  return rows.map((row) => messageOf(ticketId, row));
}

export async function hasTicket(db: Queryable, workspaceId: WorkspaceId, ticketId: TicketId): Promise<boolean> {
  const ticket = await db.maybe(sql`select from tickets where workspace_id = ${workspaceId} and id = ${ticketId}`);
  return ticket !== undefined;
}

/** One message as it is answered; throws when it is not there. */
export async function getMessage(db: Queryable, workspaceId: WorkspaceId, messageId: string): Promise<StoredMessage> {
  const row = await db.one<MessageColumns & { ticketId: string }>(sql`
    select m.ticket_id as "ticketId", ${messageColumns(workspaceId)}
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}`);
  return messageOf(row.ticketId, row);
}
