import type { Scope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { type HtmlRanges, splitHtml } from '../../ground/lib/html/html-ranges.ts';
import { inlinePictures } from '../../ground/lib/html/inline-pictures.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { type NewAttachment, sizeOfFiles } from '../files/attach.ts';
import { isKnownTo } from './conversation.ts';
import { messageIsOfPerson } from './of-person.ts';
import { forwardOf, type Quote, type QuotedMessage, quoteOf } from './written-text.ts';

type Quoted = {
  scope: Scope;
  ticket: { id: TicketId; subject: string };
  /** Our public address, shown in place of our agents' own addresses. */
  ownEmail: string;
};

/** A quote with the files of the quoted messages. The files share the stored bytes. */
export type QuoteWithFiles = Quote & { files: NewAttachment[] };

/** A quote holds at most 20 messages, chosen from the newest 100. */
const quotedMax = 20;
/** Older mails of a thread that exceed this total are left out: neither memory nor a mail server takes any amount. */
const quotedBytesMax = 2_000_000;
const lookedAtMax = 100;
/** Pictures inside quoted text that exceed this total are left out. */
const picturesBytesMax = 10_000_000;

/**
 * Builds the quote of an answer from the mails that its recipients have seen: the last mail, or all mails, newest
 * first.
 * Each mail is quoted without the text that it quotes itself.
 * Leaves out notes, forged mail, and the mail of other parties, which a merge may have brought into the ticket.
 */
export async function findQuote(
  tx: Tx,
  { scope, ticket, ownEmail }: Quoted,
  { kind, recipients }: { kind: 'last' | 'thread'; recipients: readonly string[] },
): Promise<QuoteWithFiles | undefined> {
  const heads = await tx.rows<{
    id: MessageId;
    authorEmail: string | null;
    to: string[];
    cc: string[];
    replyTo: string[];
  }>(sql`
    select m.id, m.author_email as "authorEmail", m.to_addresses as "to", m.cc_addresses as cc,
      m.reply_to_addresses as "replyTo"
    from messages m
    where m.workspace_id = ${scope.workspaceId} and m.ticket_id = ${ticket.id} and ${ofVisible(scope, 'm.ticket_id')}
      and (
        (m.direction = 'inbound' and ${messageIsOfPerson} and m.authentication->>'verdict' is distinct from 'fail')
        or (m.direction = 'outbound' and m.automatic_kind is null
          and m.delivery_status in ('sending', 'sent', 'uncertain'))
      )
    order by m.created_at desc, m.id desc
    limit ${lookedAtMax}`);
  const keys = new Set(recipients.map(caseKey));
  const seen = heads.filter((mail) => isKnownTo(keys, mail)).map(({ id }) => id);
  const ids = seen.slice(0, kind === 'last' ? 1 : quotedMax);
  if (ids.length === 0) return undefined;
  const messages = fitting((await readMessages(tx, scope, ids)).map((message) => ownPartOf(message)));
  const quote = quoteOf(messages, ownEmail);
  return { ...quote, files: await findPictures(tx, scope, ids.slice(0, messages.length), quote.html) };
}

/** The newest message, however long, and those after it that fit. */
function fitting(messages: QuotedMessage[]): QuotedMessage[] {
  let bytes = 0;
  const beyond = messages.findIndex(({ text, html }, at) => {
    bytes += Buffer.byteLength(text) + Buffer.byteLength(html ?? '');
    return at > 0 && bytes > quotedBytesMax;
  });
  return beyond === -1 ? messages : messages.slice(0, beyond);
}

/** Builds a forward of a message with all its files. Throws 400 for a note or a message of another ticket. */
export async function findForward(
  tx: Tx,
  { scope, ticket, ownEmail }: Quoted,
  messageId: MessageId,
): Promise<QuoteWithFiles> {
  const [message] = await readMessages(tx, scope, [messageId], ticket.id);
  if (message === undefined) {
    throw invalidRequest({ path: 'body.forwardOf', key: 'not_to_forward' });
  }
  const quote = forwardOf({ ...message, text: message.body, html: message.bodyHtml }, ticket.subject, ownEmail);
  const files = await readFiles(tx, scope, [messageId]);
  const inline = inlinePictures(files, quote.isRich ? quote.html : null);
  return { ...quote, files: files.map((file) => ({ ...file, isInline: inline.has(file) })) };
}

type MessageRow = Omit<QuotedMessage, 'text' | 'html' | 'author' | 'createdAt'> & {
  authorName: string | null;
  authorEmail: string | null;
  body: string;
  replyText: string | null;
  bodyHtml: string | null;
  quotedHtmlRanges: HtmlRanges | null;
  createdAt: string;
};
type Row = Omit<MessageRow, 'authorName' | 'authorEmail' | 'createdAt'> & Pick<QuotedMessage, 'author' | 'createdAt'>;

/** @param ticketId if given, messages of other tickets are left out */
async function readMessages(
  tx: Tx,
  scope: Scope,
  ids: readonly MessageId[],
  ticketId: TicketId | null = null,
): Promise<Row[]> {
  const rows = await tx.rows<MessageRow>(sql`
    select m.direction, m.author_name as "authorName", m.author_email as "authorEmail", m.to_addresses as "to",
      m.cc_addresses as cc, m.body, m.reply_text as "replyText", m.body_html as "bodyHtml",
      m.quoted_html_ranges as "quotedHtmlRanges", m.created_at as "createdAt"
    from messages m
    where m.workspace_id = ${scope.workspaceId} and m.id = any(${ids}::uuid[]) and m.direction <> 'internal'
      and ${ofVisible(scope, 'm.ticket_id')}
      and (${ticketId}::uuid is null or m.ticket_id = ${ticketId}::uuid)
    order by m.created_at desc, m.id desc`);
  return rows.map(({ authorName, authorEmail, createdAt, ...row }) => ({
    ...row,
    author: { name: authorName, email: authorEmail },
    createdAt: new Date(createdAt),
  }));
}

function ownPartOf({ body, replyText, bodyHtml, quotedHtmlRanges, ...message }: Row): QuotedMessage {
  const html =
    bodyHtml !== null && quotedHtmlRanges !== null ? splitHtml(bodyHtml, quotedHtmlRanges).outside : bodyHtml;
  return { ...message, text: replyText ?? body, html };
}

async function findPictures(
  tx: Tx,
  scope: Scope,
  messageIds: readonly MessageId[],
  html: string,
): Promise<NewAttachment[]> {
  if (!html.includes('cid:')) return [];
  const pictures = [...inlinePictures(await readFiles(tx, scope, messageIds), html)];
  return sizeOfFiles(pictures) > picturesBytesMax ? [] : pictures.map((file) => ({ ...file, isInline: true }));
}

function readFiles(tx: Tx, scope: Scope, messageIds: readonly MessageId[]): Promise<NewAttachment[]> {
  return tx.rows(sql`
    select file_name as "fileName", content_type as "contentType", size_bytes as "sizeBytes", sha256,
      content_id as "contentId", is_inline as "isInline"
    from attachments a
    where a.workspace_id = ${scope.workspaceId} and a.message_id = any(${messageIds}::uuid[])
      and ${ofVisible(scope, 'a.ticket_id')}
    order by a.id`);
}
