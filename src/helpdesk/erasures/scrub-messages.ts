import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { scrubbedColumns, scrubbedTexts } from '../../ground/database/table-sql.ts';
import { splitHtml } from '../../ground/lib/html/html-ranges.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { erasedAddress } from '../contacts/erased-address.ts';
import { blankMessages } from '../messages/blank-messages.ts';
import { eraseRawMails } from '../messages/erase-raw-mails.ts';
import { rewriteWords } from '../messages/words.ts';
import { likeAddresses, type Person, without } from './person.ts';
import { scrubberOf, type Texts } from './scrub-table.ts';

type MessageTexts = Texts & {
  subject: string | null;
  body: string;
  body_html: string | null;
  reply_text: string | null;
};
type Row = { id: MessageId; texts: MessageTexts; ranges: number[] | null };

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
    select m.id, ${scrubbedTexts('messages', 'm')} as texts, m.quoted_html_ranges as ranges
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = any(${messageIds}::uuid[])`);
  const scrub = scrubberOf('messages', person);
  const changed = rows.flatMap((row) => {
    const scrubbed = scrubRow(isOfConversation ? withoutQuotes(row) : row, scrub);
    return isOfConversation || JSON.stringify(scrubbed) !== JSON.stringify(row) ? [scrubbed] : [];
  });
  const ids = changed.map(({ id }) => id);
  const query = sql`(select unnest(${ids}::uuid[]))`;
  await together([
    ...changed.map((row) => rewrite(tx, workspaceId, row, isOfConversation)),
    rewriteWords(
      tx,
      workspaceId,
      changed.map(({ id: messageId, texts: { subject, body } }) => ({ messageId, subject, body })),
    ),
    eraseRawMails(tx, workspaceId, query),
    tx.run(sql`delete from unfiled_copies where workspace_id = ${workspaceId} and message_id in ${query}`),
  ]);
  return ids;
}

/** Takes the person off the answers that wait. They may leave before the work on their tickets begins. */
export async function takeOffWaiting(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const waiting = await tx.rows<{ id: MessageId; to: string[]; cc: string[]; bcc: string[] }>(sql`
    select id, to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc
    from messages
    where workspace_id = ${workspaceId} and delivery_status in ('scheduled', 'queued', 'sending')
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

function withoutQuotes({ id, texts, ranges }: Row): Row {
  const { body, body_html: html, reply_text: replyText } = texts;
  // An import may name a range that cuts a letter of two units in half, which JSON refuses.
  const outside = html === null || ranges === null ? html : splitHtml(html, ranges).outside.toWellFormed();
  return { id, texts: { ...texts, body: replyText ?? body, reply_text: null, body_html: outside }, ranges: null };
}

function scrubRow({ id, texts, ranges }: Row, scrub: (texts: Texts) => Texts): Row {
  const after = scrub(texts) as MessageTexts;
  // Offsets into another text would cut it anywhere.
  return { id, texts: after, ranges: after.body_html === texts.body_html ? ranges : null };
}

async function rewrite(
  tx: Tx,
  workspaceId: WorkspaceId,
  { id, texts, ranges }: Row,
  isWithoutQuotes: boolean,
): Promise<void> {
  await tx.run(sql`
    update messages m
    set ${scrubbedColumns('messages', 'r')}, quoted_html_ranges = ${ranges}::integer[], search = null,
      scheduled = case when ${isWithoutQuotes} then m.scheduled - 'quote' else m.scheduled end
    from json_populate_record(null::messages, ${JSON.stringify(texts)}::json) r
    where m.workspace_id = ${workspaceId} and m.id = ${id}`);
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
