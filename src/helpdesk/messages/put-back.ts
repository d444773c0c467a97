import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { HTML_CHARS_MAX, safeHtmlOf } from '../../ground/lib/html/safe-html.ts';
import type { AttachmentId, MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { messageCharsMax } from '../../ground/lib/message-length.ts';
import { noteStorage } from '../files/storage-quota.ts';
import { attachmentsMax } from './draft-schema.ts';
import type { QuoteKind } from './new-message-schema.ts';

type Texts = { body: string; bodyHtml: string | null };
type Row = Texts & {
  ticketId: TicketId;
  replyText: string | null;
  quotedHtmlRanges: number[] | null;
  to: string[];
  cc: string[];
  bcc: string[];
  fromAddress: string | null;
  forwardOf: MessageId | null;
  /** Null if nothing stands below the text any more. */
  quote: QuoteKind | null;
};
type File = { id: AttachmentId; sizeBytes: number };

/**
 * Makes the text of a message that does not leave a member's draft again, with copies of the files that they had
 * uploaded. A draft that they have begun since keeps its text below, its recipients and what it quotes. What does not
 * fit into that draft stays in the message alone.
 * The caller has locked the ticket, which the member need not see.
 */
export async function putBackAsDraft(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageId, userId }: { messageId: MessageId; userId: UserId },
): Promise<void> {
  const scope = machineScope(workspaceId);
  const [row, uploads] = await together([
    tx.one<Row>(sql`
      select m.ticket_id as "ticketId", m.body, m.body_html as "bodyHtml", m.reply_text as "replyText",
        m.quoted_html_ranges as "quotedHtmlRanges", m.to_addresses as "to", m.cc_addresses as cc,
        m.bcc_addresses as bcc, m.from_address as "fromAddress",
        m.forward_of_id as "forwardOf", m.scheduled->>'quote' as quote
      from messages m
      where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${ofVisible(scope, 'm.ticket_id')}`),
    // Files of a quote or of a saved reply come with it again.
    tx.rows<File>(sql`
      select a.id, a.size_bytes as "sizeBytes"
      from attachments a
      where a.workspace_id = ${workspaceId} and a.message_id = ${messageId} and a.uploaded_by is not null
        and ${ofVisible(scope, 'a.ticket_id')}
      order by a.id`),
  ]);
  const own = ownTextOf(row);
  const copies = uploads.map((file) => ({ ...file, copyId: tx.newId<AttachmentId>() }));
  const fileIds = copies.map(({ copyId }) => copyId);
  const { draftId, hasText, filesLeft } = await saveDraft(tx, workspaceId, { userId, messageId, row, own, fileIds });
  const kept = copies.slice(0, filesLeft);
  await tx.run(sql`
    insert into attachments (workspace_id, id, ticket_id, draft_id, file_name, content_type, size_bytes, sha256,
      content_id, is_inline, uploaded_by, created_at)
    select a.workspace_id, c.copy_id, a.ticket_id, ${draftId}::uuid, a.file_name, a.content_type, a.size_bytes,
      a.sha256, a.content_id, false, ${userId}::uuid, ${tx.now}::timestamptz
    from unnest(${kept.map(({ id }) => id)}::uuid[], ${kept.map(({ copyId }) => copyId)}::uuid[]) c (id, copy_id)
    join attachments a on a.workspace_id = ${workspaceId} and a.id = c.id`);
  const texts = hasText ? [own.body, own.bodyHtml ?? '', ...row.to, ...row.cc, ...row.bcc] : [];
  const bytes = Buffer.byteLength(texts.join('')) + kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  // The text is here already, so no limit of the storage may lose it.
  tx.last(() => noteStorage(tx, workspaceId, bytes));
}

type Saved = { userId: UserId; messageId: MessageId; row: Row; own: Texts; fileIds: AttachmentId[] };
type Begun = Texts & { id: string; files: number; isForward: boolean };

/** @returns also whether the draft has the text, and for how many of the files there is room */
async function saveDraft(
  tx: Tx,
  workspaceId: WorkspaceId,
  { userId, messageId, row, own, fileIds }: Saved,
): Promise<{ draftId: string; hasText: boolean; filesLeft: number }> {
  const { ticketId, to, cc, bcc, fromAddress, forwardOf } = row;
  const quote = row.quote ?? 'none';
  for (;;) {
    // If a tab begins a draft at the same moment, the second statement waits for it, and finds its text.
    const draftId = tx.newId<string>();
    const begun = await tx.run(sql`
      insert into drafts (workspace_id, id, user_id, ticket_id, kind, subject, body, body_html, to_addresses,
        cc_addresses, bcc_addresses, attachment_ids, from_address,
        last_seen_message_id, quote, forward_of_id, version, created_at,
        updated_at)
      values (${workspaceId}, ${draftId}, ${userId}, ${ticketId}, 'answer', '', ${own.body}, ${own.bodyHtml},
        ${to}::text[], ${cc}::text[], ${bcc}::text[], ${fileIds}::uuid[], ${fromAddress},
        ${messageId}, ${quote}, ${forwardOf}, 1,
        ${tx.now}, ${tx.now})
      on conflict (workspace_id, ticket_id, user_id, kind) where ticket_id is not null do nothing`);
    if (begun > 0) return { draftId, hasText: true, filesLeft: fileIds.length };
    const other = await tx.maybe<Begun>(sql`
      select d.id, d.body, d.body_html as "bodyHtml", cardinality(d.attachment_ids) as files,
        d.forward_of_id is not null as "isForward"
      from drafts d
      where d.workspace_id = ${workspaceId} and d.ticket_id = ${ticketId} and d.user_id = ${userId}
        and d.kind = 'answer' and ${ofVisible(machineScope(workspaceId), 'd.ticket_id')}
      for update`);
    // Otherwise it was sent meanwhile.
    if (other === undefined) continue;
    return joinInto(tx, workspaceId, { other, row, own, fileIds });
  }
}

async function joinInto(
  tx: Tx,
  workspaceId: WorkspaceId,
  { other, row, own, fileIds }: Pick<Saved, 'row' | 'own' | 'fileIds'> & { other: Begun },
): Promise<{ draftId: string; hasText: boolean; filesLeft: number }> {
  const { to, cc, bcc, fromAddress, forwardOf, quote } = row;
  const { id: draftId, files } = other;
  const both = joined(own, other);
  const hasText = both.body.length <= messageCharsMax && (both.bodyHtml ?? '').length <= HTML_CHARS_MAX;
  const { body, bodyHtml } = hasText ? both : other;
  const filesLeft = Math.min(fileIds.length, Math.max(0, attachmentsMax - files));
  const isEmpty = other.body === '' && other.bodyHtml === null && files === 0 && !other.isForward;
  const envelope = sql`to_addresses = ${to}::text[], cc_addresses = ${cc}::text[], bcc_addresses = ${bcc}::text[],
    quote = ${quote ?? 'none'}, from_address = ${fromAddress}, forward_of_id = ${forwardOf},`;
  await tx.run(sql`
    update drafts
    set body = ${body}, body_html = ${bodyHtml}, ${isEmpty ? envelope : emptySql}
      attachment_ids = ${fileIds.slice(0, filesLeft)}::uuid[] || attachment_ids,
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${draftId}`);
  return { draftId, hasText, filesLeft };
}

/** The text without what the service put below it, as `withQuote` did. */
export function ownTextOf({
  body,
  bodyHtml,
  replyText,
  quotedHtmlRanges,
  forwardOf,
  quote,
}: Pick<Row, 'body' | 'bodyHtml' | 'replyText' | 'quotedHtmlRanges' | 'forwardOf' | 'quote'>): Texts {
  if (quote === null || (quote === 'none' && forwardOf === null)) return { body, bodyHtml };
  const [quoteAt] = quotedHtmlRanges ?? [];
  if (quoteAt !== undefined && bodyHtml !== null)
    return { body: replyText ?? '', bodyHtml: bodyHtml.slice(0, quoteAt).replace(/<br \/>$/, '') };
  return { body: replyText ?? '', bodyHtml: replyText === null ? null : bodyHtml };
}

function joined(first: Texts, second: Texts): Texts {
  const isPlain = first.bodyHtml === null && second.bodyHtml === null;
  const html = ({ body, bodyHtml }: Texts) => bodyHtml ?? safeHtmlOf(body);
  const texts = [first, second].filter(({ body, bodyHtml }) => body !== '' || bodyHtml !== null);
  return {
    body: texts.map(({ body }) => body).join('\n\n'),
    bodyHtml: isPlain ? null : texts.map(html).join('<br />'),
  };
}
