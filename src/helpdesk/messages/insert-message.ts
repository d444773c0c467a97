import type { MailAuthentication } from '@kontor/mail/mail-authentication.ts';
import type { Status } from '../../ground/catalog/ticket-status.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { jsonOf, quick, sql } from '../../ground/database/sql.ts';
import type { ContactId, MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { MailCut } from '../../ground/lib/mail-cuts.ts';
import type { KeptHeaders } from './kept-headers.ts';
import type { QuoteKind } from './new-message-schema.ts';
import { writeWords } from './words.ts';

/** The author as the mail or the account names them. An agent who wrote from elsewhere may match no account. */
export type MessageAuthor =
  | { type: 'agent'; userId: UserId | null; name: string | null; email: string | null }
  | { type: 'customer'; contactId: ContactId; name: string | null; email: string }
  | { type: 'system'; name: string | null; email: string | null };

export type NewMessage = {
  id: MessageId;
  workspaceId: WorkspaceId;
  ticketId: TicketId;
  direction: 'inbound' | 'outbound' | 'internal';
  author: MessageAuthor;
  /** The mail's own subject; null when the ticket has the same. */
  subject: string | null;
  body: string;
  bodyHtml: string | null;
  replyText: string | null;
  /** Pairs of offsets into `bodyHtml` that enclose its quotes. */
  quotedHtmlRanges: readonly number[] | null;
  toAddresses: readonly string[];
  ccAddresses: readonly string[];
  bccAddresses: readonly string[];
  /** The message that this message forwards. */
  forwardOfId: MessageId | null;
  /** For incoming mail: its Reply-To, and our addresses at which it arrived. */
  replyToAddresses: readonly string[];
  deliveredToAddresses: readonly string[];
  /** For incoming mail: MAIL FROM (empty for `<>`, null when unknown), and whether From is genuine. */
  envelopeFrom: string | null;
  authentication: MailAuthentication | null;
  /** For incoming mail: the fields for which a rule may ask. */
  headers: KeptHeaders | null;
  /** `sent` marks mail that went out elsewhere. */
  deliveryStatus: 'scheduled' | 'queued' | 'sent' | null;
  /** When to send a message that waits; now if missing. */
  deliveryNextAttemptAt?: Date | undefined;
  scheduled?: ScheduledAs | undefined;
  rfcMessageId: string | null;
  automaticKind: string | null;
  threading: object | null;
  createdAt: Date;
  /** The Date header of a mail, if any. */
  sentAt: Date | null;
  /** The parts that were cut from a very large mail. */
  truncated: readonly MailCut[];
  changedTicket?: ChangedTicket | null;
  /** The member who passed the mail on. Its author is whom the forwarded mail names. */
  forwardedById?: UserId | null;
  /** The address of its mailbox from which an answer is to leave, if its writer chose one. */
  fromAddress?: string | null;
};

/**
 * What a scheduled message needs beside its time. `quote` is what stands below the author's own text. It is missing
 * once an erasure has taken that away, also below a forward. `isDraftAgain` is whether the text went back to a draft.
 */
export type ScheduledAs = { unlessReplied: boolean; quote?: QuoteKind; isDraftAgain?: boolean };

/** What an answer changed in its ticket, so that cancelling the answer can bring it back. */
export type ChangedTicket = {
  before: { status: Status; archivedAt: string | null; assigneeId?: UserId | null; closedAt: string | null };
  after: { status: Status; archivedAt: string | null; assigneeId?: UserId | null };
  /** Whether its author follows the ticket since. */
  isNewFollower?: boolean;
  /** For whom the ticket was unread, if it is for nobody any more. */
  unread?: { userId: UserId; messageId: MessageId }[];
};

/** Defaults of a message. */
export const plainMessage = {
  subject: null,
  bodyHtml: null,
  replyText: null,
  quotedHtmlRanges: null,
  toAddresses: [],
  ccAddresses: [],
  bccAddresses: [],
  forwardOfId: null,
  replyToAddresses: [],
  deliveredToAddresses: [],
  envelopeFrom: null,
  authentication: null,
  headers: null,
  deliveryStatus: null,
  rfcMessageId: null,
  automaticKind: null,
  threading: null,
  sentAt: null,
  truncated: [],
} as const satisfies Partial<NewMessage>;

/** A member as the author of a message, named as the account is now. */
export async function readAuthor(db: Queryable, userId: UserId): Promise<MessageAuthor & { userId: UserId }> {
  const { name, email } = await db.one<{ name: string | null; email: string }>(
    quick(sql`select name, email from users where id = ${userId}`),
  );
  return { type: 'agent', userId, name, email };
}

/** Writes only the message and its words. The caller changes the ticket's count, times and version. */
export async function insertMessage(tx: Tx, message: NewMessage): Promise<void> {
  const { workspaceId, author } = message;
  const agentId = author.type === 'agent' ? author.userId : null;
  const isSent = message.deliveryStatus === 'sent';
  const { id: messageId, subject, body, createdAt } = message;
  await together([
    tx.run(sql`
      insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, author_contact_id,
        author_name, author_email, body, body_html, reply_text, to_addresses, cc_addresses, reply_to_addresses,
        delivered_to_addresses, delivery_status, delivery_sent_at, delivery_next_attempt_at, rfc_message_id,
        automatic_kind, threading, created_at,
        envelope_from, authentication, sent_at, truncated, quoted_html_ranges, bcc_addresses, forward_of_id, subject,
        changed_ticket, forwarded_by_id, from_address, scheduled, headers)
      values (${workspaceId}, ${message.id}::uuid, ${message.ticketId}::uuid, ${message.direction}::text,
        ${author.type}::text,
        ${agentId}::uuid, ${author.type === 'customer' ? author.contactId : null}::uuid,
        ${author.name}::text, ${author.email}::text,
        ${message.body}::text, ${message.bodyHtml}::text, ${message.replyText}::text, ${message.toAddresses}::text[],
        ${message.ccAddresses}::text[], ${message.replyToAddresses}::text[], ${message.deliveredToAddresses}::text[],
        ${message.deliveryStatus}::text, ${isSent ? message.createdAt : null}::timestamptz,
        ${message.deliveryNextAttemptAt ?? null}::timestamptz, ${message.rfcMessageId}::text,
        ${message.automaticKind}::text,
        ${jsonOf(message.threading)}::jsonb, ${message.createdAt}::timestamptz,
        ${message.envelopeFrom}::text,
        ${jsonOf(message.authentication)}::jsonb, ${message.sentAt}::timestamptz, ${message.truncated}::text[],
        ${message.quotedHtmlRanges}::integer[], ${message.bccAddresses}::text[], ${message.forwardOfId}::uuid,
        ${message.subject}::text,
        ${jsonOf(message.changedTicket ?? null)}::jsonb, ${message.forwardedById ?? null}::uuid,
        ${message.fromAddress ?? null}::text, ${jsonOf(message.scheduled ?? null)}::jsonb,
        ${jsonOf(message.headers)}::jsonb)`),
    writeWords(tx, workspaceId, { messageId, subject, body, createdAt }),
  ]);
}

/** How many bytes a message's texts count against the storage limit. */
export function bytesOf({ body, bodyHtml }: { body: string; bodyHtml?: string | null | undefined }): number {
  return Buffer.byteLength(body) + Buffer.byteLength(bodyHtml ?? '');
}
