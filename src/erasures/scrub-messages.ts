import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { splitHtml } from '../lib/html/html-ranges.ts';
import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import { blankMessages } from '../messages/blank-messages.ts';
import { eraseRawMails } from '../messages/erase-raw-mails.ts';
import { messageSearchVector } from '../messages/insert-message.ts';
import { type Person, scrubOf, stubAddress, without } from './person.ts';

type Row = {
  id: MessageId;
  body: string;
  bodyHtml: string | null;
  replyText: string | null;
  ranges: number[] | null;
  authorName: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  deliveredTo: string[];
  envelopeFrom: string | null;
  error: string | null;
};

/**
 * Removes the person's addresses and names from messages of others, and the original mails, whose headers name them.
 * @param hasQuotes whether the messages are of a conversation with the person: then quoted texts go as well
 */
export async function scrubMessages(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, messageIds, hasQuotes }: { person: Person; messageIds: readonly MessageId[]; hasQuotes: boolean },
): Promise<void> {
  if (messageIds.length === 0) return;
  const rows = await tx.rows<Row>(sql`
    select id, body, body_html as "bodyHtml", reply_text as "replyText", quoted_html_ranges as ranges,
      author_name as "authorName", to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc,
      reply_to_addresses as "replyTo", delivered_to_addresses as "deliveredTo", envelope_from as "envelopeFrom",
      delivery_error as error
    from messages
    where workspace_id = ${workspaceId} and id = any(${messageIds}::uuid[])`);
  const ids = sql`(select unnest(${messageIds}::uuid[]))`;
  await together([
    ...rows.map((row) => rewrite(tx, workspaceId, hasQuotes ? withoutQuotes(row) : row, person)),
    eraseRawMails(tx, workspaceId, ids),
    tx.run(sql`delete from unfiled_copies where workspace_id = ${workspaceId} and message_id in ${ids}`),
  ]);
}

function withoutQuotes(row: Row): Row {
  const { body, bodyHtml, replyText, ranges } = row;
  const html = bodyHtml === null || ranges === null ? bodyHtml : splitHtml(bodyHtml, ranges).outside;
  return { ...row, body: replyText ?? body, replyText: null, bodyHtml: html, ranges: null };
}

async function rewrite(tx: Tx, workspaceId: WorkspaceId, row: Row, person: Person): Promise<void> {
  const scrub = scrubOf(person);
  const body = scrub(row.body);
  const html = scrub(row.bodyHtml);
  // Offsets into another text would cut it anywhere.
  const ranges = html === row.bodyHtml ? row.ranges : null;
  await tx.run(sql`
    update messages
    set body = ${body}, body_html = ${html}, reply_text = ${scrub(row.replyText)},
      quoted_html_ranges = ${ranges}::integer[], author_name = ${scrub(row.authorName)},
      to_addresses = ${without(row.to, person)}::text[], cc_addresses = ${without(row.cc, person)}::text[],
      bcc_addresses = ${without(row.bcc, person)}::text[],
      reply_to_addresses = ${without(row.replyTo, person)}::text[],
      delivered_to_addresses = ${without(row.deliveredTo, person)}::text[],
      envelope_from = ${scrub(row.envelopeFrom)}, delivery_error = ${scrub(row.error)},
      search = ${messageSearchVector(workspaceId, body)}::tsvector
    where workspace_id = ${workspaceId} and id = ${row.id}`);
}

/** Leaves stubs of messages that the person wrote. */
export async function blankOwnMessages(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, messageIds }: { person: Person; messageIds: readonly MessageId[] },
): Promise<void> {
  const [first] = person.contactIds;
  if (messageIds.length === 0 || first === undefined) return;
  await scrubMessages(tx, workspaceId, { person, messageIds, hasQuotes: false });
  await blankMessages(tx, workspaceId, { messageIds, by: null });
  await tx.run(sql`
    update messages
    set author_name = null, author_email = ${stubAddress(first)}, reply_to_addresses = '{}', envelope_from = null,
      rfc_message_id = null, threading = jsonb_build_object('isSenderKnown', threading->'isSenderKnown')
    where workspace_id = ${workspaceId} and id = any(${messageIds}::uuid[])`);
}
