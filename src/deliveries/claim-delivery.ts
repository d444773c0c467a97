import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Conversation, conversationOf, type TicketMail } from '../messages/conversation.ts';
import { isSampleAddress, isSampleTicket } from '../samples/marks.ts';
import { getInboundAddress, type InboundAddress } from '../workspaces/inbound-address.ts';
import { type MailboxSend, readMailboxClaim, takeMailboxWay } from './mailbox-send.ts';

/** An answer on its way out, with what its mail needs. */
export type Delivery = {
  workspaceId: WorkspaceId;
  messageId: MessageId;
  ticketId: TicketId;
  /** Which attempt this is: what it writes counts while no later one has begun. */
  attempt: number;
  /** Ours; the same at every attempt. */
  rfcMessageId: string;
  subject: string;
  /** Whether other mail of the ticket came or went before. */
  isReply: boolean;
  author: { name: string | null };
  to: string[];
  cc: string[];
  /** Only in the envelope. */
  bcc: string[];
  body: string;
  bodyHtml: string | null;
  /** Of them, how long the writer's own part is; the rest is quoted. Null: all of it. */
  ownChars: { text: number | null; html: number | null };
  /** Whether it passes a message on, instead of answering. */
  isForward: boolean;
  files: DeliveredFile[];
  conversation: Conversation;
  inbound: InboundAddress;
  /** It is not sent, and counts as sent. */
  isSample: boolean;
  /** Null: it goes by SMTP. */
  through: MailboxSend | null;
};

export type DeliveredFile = {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  contentId: string | null;
  isInline: boolean;
};

type Named = { workspaceId: WorkspaceId; messageId: MessageId };

/**
 * Takes an answer for sending: `queued → sending`, by a guarded update, so that of two workers one has it. One that was cut
 * off in `sending` before any of it was handed over is taken again: the attempt's number shuts the other out, should it live.
 * So is one that was handed over to a mailbox, which can be asked what became of it.
 * @returns undefined when it does not wait to be sent
 */
export async function claimDelivery(
  tx: Tx,
  { workspaceId, messageId, rfcMessageId }: Named & Pick<Delivery, 'rfcMessageId'>,
): Promise<Delivery | undefined> {
  const claimed = await tx.maybe<
    Pick<
      Delivery,
      'ticketId' | 'attempt' | 'rfcMessageId' | 'to' | 'cc' | 'bcc' | 'body' | 'bodyHtml' | 'isForward'
    > & {
      authorName: string | null;
      replyText: string | null;
      quotedHtmlRanges: number[] | null;
      handedOverAt: string | null;
    }
  >(sql`
    update messages
    set delivery_status = 'sending', delivery_attempts = delivery_attempts + 1, delivery_next_attempt_at = null,
      rfc_message_id = coalesce(rfc_message_id, ${rfcMessageId})
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status in ('queued', 'sending')
      and (handing_over_at is null or exists (
        select from mailbox_sends s where s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
      ))
    returning ticket_id as "ticketId", delivery_attempts as attempt, rfc_message_id as "rfcMessageId",
      author_name as "authorName", handing_over_at as "handedOverAt", to_addresses as "to", cc_addresses as cc,
      bcc_addresses as bcc, body,
      body_html as "bodyHtml", reply_text as "replyText", quoted_html_ranges as "quotedHtmlRanges",
      forward_of_id is not null as "isForward"`);
  if (claimed === undefined) return undefined;
  const { authorName, handedOverAt, replyText, quotedHtmlRanges, ...message } = claimed;
  const [ticket, mails, files, inbound, mailboxClaim] = await together([
    readTicket(tx, { workspaceId, ticketId: message.ticketId }),
    readMailsBefore(tx, { workspaceId, messageId, ticketId: message.ticketId }),
    readFiles(tx, { workspaceId, messageId }),
    getInboundAddress(tx, workspaceId),
    readMailboxClaim(tx, { workspaceId, messageId, ticketId: message.ticketId }),
  ]);
  const conversation = conversationOf(mails, [...message.to, ...message.cc]);
  const { answered } = conversation;
  const isNowhere = (email: string) => !ticket.isSample && isSampleAddress(email);
  const isSample = ticket.isSample || [...message.to, ...message.cc, ...message.bcc].every(isNowhere);
  return {
    ...message,
    to: message.to.filter((email) => !isNowhere(email)),
    cc: message.cc.filter((email) => !isNowhere(email)),
    bcc: message.bcc.filter((email) => !isNowhere(email)),
    isSample,
    workspaceId,
    messageId,
    ownChars: { text: replyText?.length ?? null, html: quotedHtmlRanges?.[0] ?? null },
    subject: ticket.subject,
    isReply: mails.length > 0,
    author: { name: authorName },
    files,
    conversation,
    inbound,
    through: isSample
      ? null
      : await takeMailboxWay(tx, { workspaceId, messageId }, mailboxClaim, { handedOverAt, answered }),
  };
}

function readTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
): Promise<{ subject: string; isSample: boolean }> {
  return tx.one(sql`
    select t.subject, ${isSampleTicket(sql`t.workspace_id`, sql`t.id`)} as "isSample"
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
}

/** A reply names no more ids than these, the newest. */
const conversationMax = 100;

/**
 * The mails of the ticket that were there when the message was written, as far as they came or left, oldest first. Notes
 * are none, nor are answers that nobody got. Each by the id under which its recipients have it.
 */
async function readMailsBefore(
  tx: Tx,
  { workspaceId, messageId, ticketId }: Named & { ticketId: TicketId },
): Promise<TicketMail[]> {
  const newestFirst = await tx.rows<TicketMail>(sql`
    select coalesce(s.wire_message_id, m.rfc_message_id) as "rfcMessageId", m.direction, m.automatic_kind as "automaticKind",
      m.author_email as "authorEmail", m.to_addresses as "to", m.cc_addresses as cc, m.reply_to_addresses as "replyTo"
    from messages m
    join messages own on own.workspace_id = ${workspaceId} and own.id = ${messageId}
    left join mailbox_sends s on s.workspace_id = ${workspaceId} and s.message_id = m.id
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id <> ${messageId}
      and m.rfc_message_id is not null
      and (m.direction = 'inbound' or (m.direction = 'outbound' and m.delivery_status in ('sent', 'uncertain', 'bounced')))
      and coalesce(m.arrived_at, m.created_at) < coalesce(own.arrived_at, own.created_at)
    order by m.created_at desc, m.id desc
    limit ${conversationMax}`);
  return newestFirst.reverse();
}

async function readFiles(tx: Tx, { workspaceId, messageId }: Named): Promise<DeliveredFile[]> {
  return tx.rows<DeliveredFile>(sql`
    select file_name as "fileName", content_type as "contentType", size_bytes as "sizeBytes", sha256, content_id as "contentId",
      is_inline as "isInline"
    from attachments
    where workspace_id = ${workspaceId} and message_id = ${messageId}
    order by id`);
}
