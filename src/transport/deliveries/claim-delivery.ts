import { getInboundAddress, type InboundAddress } from '../../access/workspaces/inbound-address.ts';
import { isSampleAddress, isSampleTicket } from '../../events/samples/marks.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { type Conversation, conversationOf, type TicketMail } from '../../helpdesk/messages/conversation.ts';
import { type Asked, type Asking, ask, findAsk, findAsking } from '../../helpdesk/ratings/ask.ts';
import { type MailboxSend, readMailboxClaim, takeMailboxWay } from './mailbox-send.ts';
import { type Attempt, change, type DeliveryKey } from './write.ts';

/** An answer on its way out, with everything that its mail needs. */
export type Delivery = Attempt & {
  ticketId: TicketId;
  /** Our Message-ID, the same at every attempt. */
  rfcMessageId: string;
  subject: string;
  /** Whether the ticket has earlier mail. */
  isReply: boolean;
  author: { name: string | null; signatureHtml: string | null };
  to: string[];
  cc: string[];
  /** Appears only in the envelope. */
  bcc: string[];
  body: string;
  bodyHtml: string | null;
  /** The length of the author's own part of each text; the rest is quoted. Null means all of it. */
  ownChars: { text: number | null; html: number | null };
  /** The address from which its author wants it to leave; null for the usual one. */
  fromAddress: string | null;
  /** Whether no person wrote it, and no machine may answer it. */
  isAutomatic: boolean;
  /** Whether the message forwards another message. */
  isForward: boolean;
  files: DeliveredFile[];
  conversation: Conversation;
  inbound: InboundAddress;
  /** A sample is never sent, but counts as sent. */
  isSample: boolean;
  /** Null means SMTP. */
  through: MailboxSend | null;
  /** What it asks its customer below the answer. */
  ask: Asked | null;
  /** Whether the ticket has a mailbox, also one that is disconnected by now. */
  isOfMailbox: boolean;
};

type FieldOfMessage =
  | 'ticketId'
  | 'attempt'
  | 'rfcMessageId'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'body'
  | 'bodyHtml'
  | 'fromAddress'
  | 'isForward'
  | 'isAutomatic';
type Claimed = Pick<Delivery, FieldOfMessage> & {
  authorName: string | null;
  replyText: string | null;
  quotedHtmlRanges: number[] | null;
  handedOverAt: string | null;
};
const claimedColumns = sql`m.ticket_id as "ticketId", m.delivery_attempts as attempt,
  m.rfc_message_id as "rfcMessageId", m.author_name as "authorName", m.handing_over_at as "handedOverAt",
  m.to_addresses as "to", m.cc_addresses as cc, m.bcc_addresses as bcc, m.from_address as "fromAddress",
  m.body, m.body_html as "bodyHtml", m.reply_text as "replyText", m.quoted_html_ranges as "quotedHtmlRanges",
  m.forward_of_id is not null as "isForward", m.automatic_kind is not null as "isAutomatic"`;

export type DeliveredFile = {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  contentId: string | null;
  isInline: boolean;
};

/**
 * Claims an answer for sending. Also reclaims an answer whose attempt was cut off, unless its mail may have left by
 * SMTP: a mailbox can tell whether the mail left. The higher attempt number then shuts out the earlier worker, should
 * it still run.
 * @returns undefined when it does not wait to be sent
 */
export async function claimDelivery(
  tx: Tx,
  { workspaceId, messageId, rfcMessageId }: DeliveryKey & Pick<Delivery, 'rfcMessageId'>,
): Promise<Delivery | undefined> {
  const claimed = await change<Claimed>(tx, { workspaceId, messageId }, 'claim', { rfcMessageId }, claimedColumns);
  if (claimed === undefined) return undefined;
  const { authorName, handedOverAt, replyText, quotedHtmlRanges, ...message } = claimed;
  const [ticket, mails, files, inbound, mailboxClaim, signatureHtml, asked, asking] = await together([
    readTicket(tx, { workspaceId, ticketId: message.ticketId }),
    readMailsBefore(tx, { workspaceId, messageId, ticketId: message.ticketId }),
    readFiles(tx, { workspaceId, messageId }),
    getInboundAddress(tx, workspaceId),
    readMailboxClaim(tx, { workspaceId, messageId, ticketId: message.ticketId }),
    readAuthorsSignature(tx, { workspaceId, messageId }),
    findAsk(tx, { workspaceId, messageId }),
    findAsking(tx, { workspaceId, messageId, to: message.to, now: tx.now }),
  ]);
  const conversation = conversationOf(mails, [...message.to, ...message.cc]);
  const { answered } = conversation;
  const isNowhere = (email: string) => !ticket.isSample && isSampleAddress(email);
  const recipients = [...message.to, ...message.cc, ...message.bcc];
  const isSample = ticket.isSample || (recipients.length > 0 && recipients.every(isNowhere));
  return {
    ...message,
    to: message.to.filter((email) => !isNowhere(email)),
    cc: message.cc.filter((email) => !isNowhere(email)),
    bcc: message.bcc.filter((email) => !isNowhere(email)),
    isSample,
    isOfMailbox: mailboxClaim.isOfMailbox,
    workspaceId,
    messageId,
    ownChars: { text: replyText?.length ?? null, html: quotedHtmlRanges?.[0] ?? null },
    subject: ticket.subject,
    isReply: mails.length > 0,
    author: { name: authorName, signatureHtml },
    files,
    conversation,
    inbound,
    ask: isSample ? null : await askOf(tx, { workspaceId, messageId }, { asked, asking }),
    through: isSample
      ? null
      : await takeMailboxWay(tx, { workspaceId, messageId }, mailboxClaim, { handedOverAt, answered }),
  };
}

/** The question of an earlier attempt, or one that is asked now. */
async function askOf(
  tx: Tx,
  key: DeliveryKey,
  { asked, asking }: { asked: Asked | undefined; asking: Asking | undefined },
): Promise<Asked | null> {
  if (asked !== undefined) return asked;
  return asking === undefined ? null : ask(tx, key, asking);
}

function readTicket(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
): Promise<{ subject: string; isSample: boolean }> {
  return tx.one(sql`
    select t.subject, ${isSampleTicket(sql`${workspaceId}::uuid`, sql`t.id`)} as "isSample"
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
}

async function readAuthorsSignature(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<string | null> {
  const found = await tx.maybe<{ signatureHtml: string | null }>(sql`
    select a.signature_html as "signatureHtml"
    from messages m
    join members a on a.workspace_id = ${workspaceId} and a.user_id = m.author_user_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}`);
  return found?.signatureHtml ?? null;
}

/** A reply names at most this many of the newest ids. */
const conversationMax = 100;

/**
 * Reads the mails that the ticket had when the message was written, oldest first.
 * Leaves out notes, and answers that reached nobody. Each mail has the id under which its recipients know it.
 */
async function readMailsBefore(
  tx: Tx,
  { workspaceId, messageId, ticketId }: DeliveryKey & { ticketId: TicketId },
): Promise<TicketMail[]> {
  const newestFirst = await tx.rows<TicketMail>(sql`
    select coalesce(s.wire_message_id, m.rfc_message_id) as "rfcMessageId", m.direction,
      m.automatic_kind as "automaticKind",
      m.author_email as "authorEmail", m.to_addresses as "to", m.cc_addresses as cc, m.reply_to_addresses as "replyTo"
    from messages m
    join messages own on own.workspace_id = ${workspaceId} and own.id = ${messageId}
    left join mailbox_sends s on s.workspace_id = ${workspaceId} and s.message_id = m.id
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id <> ${messageId}
      and m.rfc_message_id is not null
      and (m.direction = 'inbound'
        or (m.direction = 'outbound' and m.delivery_status in ('sent', 'uncertain', 'bounced')))
      and coalesce(m.arrived_at, m.created_at) < coalesce(own.arrived_at, own.created_at)
    order by m.created_at desc, m.id desc
    limit ${conversationMax}`);
  return newestFirst.reverse();
}

async function readFiles(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<DeliveredFile[]> {
  return tx.rows<DeliveredFile>(sql`
    select file_name as "fileName", content_type as "contentType", size_bytes as "sizeBytes", sha256,
      content_id as "contentId",
      is_inline as "isInline"
    from attachments
    where workspace_id = ${workspaceId} and message_id = ${messageId}
    order by id`);
}
