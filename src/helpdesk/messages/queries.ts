import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { snippetOf } from '../../ground/database/snippet.ts';
import { emptySql, quick, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime } from '../../ground/lib/cursor.ts';
import { isUuid, type MessageId, type TicketId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { attachmentJson } from '../files/queries.ts';
import type { ScheduledAs } from './insert-message.ts';
import type { StoredMessage } from './schema.ts';

type MessageColumns = Omit<
  StoredMessage,
  'id' | 'attachments' | 'author' | 'delivery' | 'createdAt' | 'isInternal' | 'ticketId' | 'redacted'
> & {
  messageId: MessageId;
  authorType: 'customer' | 'agent' | 'system';
  authorUserId: UserId | null;
  authorName: string | null;
  authorEmail: string | null;
  deliveryStatus: NonNullable<StoredMessage['delivery']>['status'] | null;
  deliveryError: string | null;
  deliverySentAt: string | null;
  isFile: boolean;
  deliveryAttempts: number;
  deliveryNextAttemptAt: string | null;
  scheduled: ScheduledAs | null;
  deliveryHandledAt: string | null;
  bounceKind: NonNullable<StoredMessage['delivery']>['bounceKind'];
  enhancedStatusCode: string | null;
  subject: string | null;
  truncated: StoredMessage['truncated'];
  messageCreatedAt: string;
  sentAt: string | null;
  redactedAt: string | null;
  redactedBy: UserId | null;
  attachments: StoredMessage['attachments'] | null;
};

const wholeTexts: Sql = sql`m.body, m.body_html as "bodyHtml", m.reply_text as "replyText",
  m.quoted_html_ranges as "quotedHtmlRanges"`;
const noTexts: Sql = sql`'' as body, null as "bodyHtml", null as "replyText", null as "quotedHtmlRanges"`;

/** Columns of message `m`. Attachments come as JSON, or as null: few messages have any. */
function messageColumns(workspaceId: WorkspaceId, mayHaveFiles: Sql = sql`true`, texts: Sql = wholeTexts): Sql {
  return sql`m.id as "messageId", m.direction, m.author_type as "authorType", m.author_user_id as "authorUserId",
    m.author_name as "authorName", m.author_email as "authorEmail", m.subject, ${texts},
    m.to_addresses as "to", m.cc_addresses as cc,
    m.bcc_addresses as bcc, m.forward_of_id as "forwardOf", m.forwarded_by_id as "forwardedBy",
    m.from_address as "fromAddress", m.reply_to_addresses as "replyTo",
    m.delivered_to_addresses as "deliveredTo", m.delivery_status as "deliveryStatus",
    m.delivery_error as "deliveryError", m.delivery_sent_at as "deliverySentAt",
    m.is_file as "isFile", m.delivery_attempts as "deliveryAttempts",
    m.delivery_next_attempt_at as "deliveryNextAttemptAt", m.scheduled, m.delivery_handled_at as "deliveryHandledAt",
    m.delivery_bounce_kind as "bounceKind",
    m.delivery_enhanced_status_code as "enhancedStatusCode", m.truncated, m.automatic_kind as "automaticKind",
    m.envelope_from as "envelopeFrom", m.authentication,
    coalesce(m.body_html is not null and m.authentication->>'verdict' is distinct from 'fail' and (
      select k.shows_remote_images from contacts k where k.workspace_id = ${workspaceId} and k.id = m.author_contact_id
    ), false) as "showsRemoteImages",
    (m.threading->>'isSenderKnown')::boolean as "isSenderKnown", m.threading->>'matchedBy' as "matchedBy",
    m.created_at as "messageCreatedAt", m.sent_at as "sentAt",
    m.redacted_at as "redactedAt", m.redacted_by as "redactedBy", case when ${mayHaveFiles} then (
      select json_agg(${attachmentJson} order by a.id)
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
    subject: row.subject,
    body: row.body,
    bodyHtml: row.bodyHtml,
    replyText: row.replyText,
    quotedHtmlRanges: row.quotedHtmlRanges,
    isInternal: row.direction === 'internal',
    to: row.to,
    cc: row.cc,
    bcc: row.bcc,
    forwardOf: row.forwardOf,
    forwardedBy: row.forwardedBy,
    fromAddress: row.fromAddress,
    showsRemoteImages: row.showsRemoteImages,
    replyTo: row.replyTo,
    envelopeFrom: isInbound ? row.envelopeFrom : null,
    authentication: isInbound ? row.authentication : null,
    isSenderKnown: isInbound ? row.isSenderKnown : null,
    matchedBy: isInbound ? row.matchedBy : null,
    deliveredTo: row.deliveredTo,
    attachments: row.attachments ?? [],
    delivery:
      deliveryStatus === null
        ? null
        : {
            status: deliveryStatus,
            error: row.deliveryError,
            sentAt: row.deliverySentAt,
            isFile: row.isFile,
            attempts: row.deliveryAttempts,
            nextAttemptAt: row.deliveryNextAttemptAt,
            ...(deliveryStatus === 'scheduled' && { unlessReplied: row.scheduled?.unlessReplied ?? true }),
            ...(deliveryStatus === 'cancelled' && row.scheduled?.isDraftAgain && { isDraftAgain: true }),
            handledAt: row.deliveryHandledAt,
            bounceKind: deliveryStatus === 'bounced' ? row.bounceKind : null,
            enhancedStatusCode: deliveryStatus === 'bounced' ? row.enhancedStatusCode : null,
          },
    automaticKind: row.automaticKind,
    createdAt: row.messageCreatedAt,
    sentAt: row.sentAt,
    truncated: row.truncated,
    redacted: row.redactedAt === null ? null : { at: row.redactedAt, by: row.redactedBy },
  };
}

/** Lists all messages of a ticket, oldest first. */
export async function listMessages(db: Queryable, scope: Scope, ticketId: TicketId): Promise<StoredMessage[]> {
  const { workspaceId } = scope;
  // Asks once for the whole ticket, where a lookup of files would run once for each message.
  const hasFiles = sql`(
    select exists (select from attachments f where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId}))`;
  const rows = await db.rows<MessageColumns>(
    quick(sql`
    select ${messageColumns(workspaceId, hasFiles)}
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${ofVisible(scope, 'm.ticket_id')}
    order by m.created_at, m.id`),
  );
  return rows.map((row) => messageOf(ticketId, row));
}

/** One page of a ticket's messages, oldest first. */
export type MessagePage = {
  messages: (StoredMessage & { snippet: string })[];
  /** Null when nothing is earlier. */
  earlierCursor: string | null;
};

type MessagesWanted = { ticketId: TicketId; before?: string | undefined; limit: number; areHeads?: boolean };

/**
 * Lists the newest messages of a ticket, or those before a cursor. `areHeads` leaves out the texts.
 * Throws 400 for an invalid cursor.
 */
export async function listNewestMessages(
  db: Queryable,
  scope: Scope,
  { ticketId, before, limit, areHeads = false }: MessagesWanted,
): Promise<MessagePage> {
  const { workspaceId } = scope;
  const rows = await db.rows<MessageColumns & { snippet: string }>(sql`
    select ${messageColumns(workspaceId, sql`true`, areHeads ? noTexts : wholeTexts)},
      ${snippetOf(sql`coalesce(m.reply_text, m.body)`)} as snippet
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${ofVisible(scope, 'm.ticket_id')}
      ${before === undefined ? emptySql : isBefore(before)}
    order by m.created_at desc, m.id desc
    limit ${limit + 1}`);
  const messages = rows.slice(0, limit).map((row) => ({ ...messageOf(ticketId, row), snippet: row.snippet }));
  const oldest = messages.at(-1);
  const hasEarlier = rows.length > limit && oldest !== undefined;
  return {
    messages: messages.toReversed(),
    earlierCursor: hasEarlier ? encodeCursor([oldest.createdAt, oldest.id]) : null,
  };
}

function isBefore(cursor: string): Sql {
  const position = decodeCursor(cursor);
  const [at, id] = Array.isArray(position) ? (position as unknown[]) : [];
  if (!isCursorTime(at) || typeof id !== 'string' || !isUuid(id)) throw badCursor('before');
  return sql`and (m.created_at, m.id) < (${at}::timestamptz, ${id}::uuid)`;
}

/** Reads one message as the API shows it. Throws if the message is missing. */
export async function getMessage(db: Queryable, scope: Scope, messageId: MessageId): Promise<StoredMessage> {
  const { workspaceId } = scope;
  const row = await db.one<MessageColumns & { ticketId: TicketId }>(sql`
    select m.ticket_id as "ticketId", ${messageColumns(workspaceId)}
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${ofVisible(scope, 'm.ticket_id')}`);
  return messageOf(row.ticketId, row);
}
