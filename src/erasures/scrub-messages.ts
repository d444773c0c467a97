import { erasedAddress } from '../contacts/erased-address.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { splitHtml } from '../lib/html/html-ranges.ts';
import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import { blankMessages } from '../messages/blank-messages.ts';
import { eraseRawMails } from '../messages/erase-raw-mails.ts';
import { messageSearchVector } from '../messages/insert-message.ts';
import { likeAddresses, type Person, scrubOf, without } from './person.ts';

type Row = {
  id: MessageId;
  body: string;
  bodyHtml: string | null;
  subject: string | null;
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
 * Removes the person's addresses and names from messages of other people. Also removes the original mails, whose
 * headers name the person.
 * @param isOfConversation whether the messages are of a conversation with the person: then every quoted text and
 *   original mail goes. Otherwise a message that does not name the person stays as it is.
 * @returns the messages that changed
 */
export async function scrubMessages(
  tx: Tx,
  workspaceId: WorkspaceId,
  {
    person,
    messageIds,
    isOfConversation,
  }: { person: Person; messageIds: readonly MessageId[]; isOfConversation: boolean },
): Promise<MessageId[]> {
  if (messageIds.length === 0) return [];
  const rows = await tx.rows<Row>(sql`
    select id, subject, body, body_html as "bodyHtml", reply_text as "replyText", quoted_html_ranges as ranges,
      author_name as "authorName", to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc,
      reply_to_addresses as "replyTo", delivered_to_addresses as "deliveredTo", envelope_from as "envelopeFrom",
      delivery_error as error
    from messages
    where workspace_id = ${workspaceId} and id = any(${messageIds}::uuid[])`);
  const changed = rows.flatMap((row) => {
    const scrubbed = scrubRow(isOfConversation ? withoutQuotes(row) : row, person);
    return isOfConversation || JSON.stringify(scrubbed) !== JSON.stringify(row) ? [scrubbed] : [];
  });
  const ids = changed.map(({ id }) => id);
  const query = sql`(select unnest(${ids}::uuid[]))`;
  await together([
    ...changed.map((row) => rewrite(tx, workspaceId, row)),
    eraseRawMails(tx, workspaceId, query),
    tx.run(sql`delete from unfiled_copies where workspace_id = ${workspaceId} and message_id in ${query}`),
  ]);
  return ids;
}

/** Takes the person off the answers that wait. They may leave before the work on their tickets begins. */
export async function takeOffWaiting(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const waiting = await tx.rows<Pick<Row, 'id' | 'to' | 'cc' | 'bcc'>>(sql`
    select id, to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc
    from messages
    where workspace_id = ${workspaceId} and delivery_status in ('queued', 'sending')
      and array_to_string(to_addresses || cc_addresses || bcc_addresses, ' ')
        ilike any(${likeAddresses(person)}::text[])
    order by id
    for no key update`);
  await together(
    waiting.map(({ id, to, cc, bcc }) =>
      tx.run(sql`
        update messages
        set to_addresses = ${without(to, person)}::text[], cc_addresses = ${without(cc, person)}::text[],
          bcc_addresses = ${without(bcc, person)}::text[]
        where workspace_id = ${workspaceId} and id = ${id}`),
    ),
  );
}

function withoutQuotes(row: Row): Row {
  const { body, bodyHtml, replyText, ranges } = row;
  const html = bodyHtml === null || ranges === null ? bodyHtml : splitHtml(bodyHtml, ranges).outside;
  return { ...row, body: replyText ?? body, replyText: null, bodyHtml: html, ranges: null };
}

function scrubRow(row: Row, person: Person): Row {
  const scrub = scrubOf(person);
  const bodyHtml = scrub.html(row.bodyHtml);
  return {
    ...row,
    subject: scrub.text(row.subject),
    body: scrub.text(row.body),
    bodyHtml,
    replyText: scrub.text(row.replyText),
    // Offsets into another text would cut it anywhere.
    ranges: bodyHtml === row.bodyHtml ? row.ranges : null,
    authorName: scrub.text(row.authorName),
    to: without(row.to, person),
    cc: without(row.cc, person),
    bcc: without(row.bcc, person),
    replyTo: without(row.replyTo, person),
    deliveredTo: without(row.deliveredTo, person),
    envelopeFrom: scrub.text(row.envelopeFrom),
    error: scrub.text(row.error),
  };
}

async function rewrite(tx: Tx, workspaceId: WorkspaceId, row: Row): Promise<void> {
  await tx.run(sql`
    update messages
    set subject = ${row.subject}, body = ${row.body}, body_html = ${row.bodyHtml}, reply_text = ${row.replyText},
      quoted_html_ranges = ${row.ranges}::integer[], author_name = ${row.authorName},
      to_addresses = ${row.to}::text[], cc_addresses = ${row.cc}::text[], bcc_addresses = ${row.bcc}::text[],
      reply_to_addresses = ${row.replyTo}::text[], delivered_to_addresses = ${row.deliveredTo}::text[],
      envelope_from = ${row.envelopeFrom}, delivery_error = ${row.error},
      search = ${messageSearchVector(workspaceId, row.body, row.subject)}::tsvector
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
  await scrubMessages(tx, workspaceId, { person, messageIds, isOfConversation: false });
  await blankMessages(tx, workspaceId, { messageIds, by: null });
  await tx.run(sql`
    update messages
    set author_name = null, author_email = ${erasedAddress(first)}, reply_to_addresses = '{}', envelope_from = null,
      rfc_message_id = null,
      threading = jsonb_set('{}', '{isSenderKnown}', coalesce(threading->'isSenderKnown', 'null'))
    where workspace_id = ${workspaceId} and id = any(${messageIds}::uuid[])`);
}
