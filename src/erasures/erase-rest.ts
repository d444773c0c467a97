import { type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { noteLooseBlobs } from '../files/loose-blobs.ts';
import { recountStorage } from '../files/storage-quota.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { searchQuery } from '../lib/search-query.ts';
import { caseKey } from '../lib/text.ts';
import { scrubDrafts, scrubTickets } from './erase-tickets.ts';
import { addressPatterns, type Person, scrubOf } from './person.ts';
import { scrubMessages } from './scrub-messages.ts';

const atOnceMax = 50;

/**
 * Removes the addresses from the next messages of other tickets that name one, such as a note of a colleague.
 * @returns the last message; undefined when none remain
 */
export async function eraseMentions(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, after }: { person: Person; after: string | null },
): Promise<MessageId | undefined> {
  const patterns = addressPatterns(person);
  const queries = person.addresses.flatMap((address) => searchQuery(workspaceId, `"${address}"`)?.wanted ?? []);
  const found = await tx.rows<{ id: MessageId; ticketId: TicketId }>(sql`
    select m.id, m.ticket_id as "ticketId"
    from messages m
    where m.workspace_id = ${workspaceId} and (${after}::uuid is null or m.id > ${after}::uuid) and (
      m.search @@ any(${queries}::tsquery[])
      or array_to_string(m.to_addresses || m.cc_addresses || m.bcc_addresses || m.reply_to_addresses
        || m.delivered_to_addresses || array[m.author_email, m.envelope_from], ' ') ilike any(${patterns}::text[])
      or concat_ws(' ', m.body, m.body_html, m.delivery_error) ilike any(${patterns}::text[])
    )
    order by m.id
    limit ${atOnceMax}`);
  const tickets = [...new Set(found.map(({ ticketId }) => ticketId))].sort();
  if (found.length === 0) return undefined;
  // Locks in one order, as all code does.
  await tx.run(sql`
    select from tickets where workspace_id = ${workspaceId} and id = any(${tickets}::uuid[]) order by id
    for no key update`);
  const byAddress = { ...person, names: [] };
  await scrubMessages(tx, workspaceId, { person: byAddress, messageIds: found.map(({ id }) => id), hasQuotes: false });
  await scrubTickets(tx, workspaceId, { person: byAddress, tree: tickets });
  return found.at(-1)?.id;
}

/** Removes the person from all that belongs to no ticket of theirs. One step, and the last. */
export async function eraseRest(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const keys = person.addresses.map(caseKey);
  const patterns = addressPatterns(person);
  await scrubSubjects(tx, workspaceId, person);
  await scrubDrafts(tx, workspaceId, { person, ticketId: null });
  await together([
    tx.run(sql`
      delete from mailed_recipients where workspace_id = ${workspaceId} and email_key = any(${keys}::text[])`),
    tx.run(sql`
      delete from blocked_senders where workspace_id = ${workspaceId} and sender_key = any(${keys}::text[])`),
    tx.run(sql`
      delete from idempotent_answers where workspace_id = ${workspaceId} and body ilike any(${patterns}::text[])`),
    tx.run(sql`
      delete from mail_ids where workspace_id = ${workspaceId} and rfc_message_id ilike any(${patterns}::text[])`),
    tx.run(sql`
      delete from webhook_deliveries
      where workspace_id = ${workspaceId} and status <> 'pending' and payload::text ilike any(${patterns}::text[])`),
    eraseStrayMails(tx, workspaceId, patterns),
    scrubTitles(tx, workspaceId, person),
    scrubJson(tx, workspaceId, { person, patterns }),
    scrubAudit(tx, workspaceId, { person, patterns }),
  ]);
  await recountStorage(tx, workspaceId);
}

/** Subjects of tickets of others, such as those of forms. */
async function scrubSubjects(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const found = await tx.rows<{ id: TicketId }>(sql`
    select id from tickets
    where workspace_id = ${workspaceId} and subject ilike any(${addressPatterns(person)}::text[])`);
  const tree = found.map(({ id }) => id);
  if (tree.length > 0) await scrubTickets(tx, workspaceId, { person: { ...person, names: [] }, tree });
}

/** Mails in quarantine, and others without a message. */
async function eraseStrayMails(tx: Tx, workspaceId: WorkspaceId, patterns: readonly string[]): Promise<void> {
  const erased = await tx.rows<{ sha256: string }>(sql`
    update raw_mails r
    set erased_at = ${tx.now}, discarded_at = coalesce(discarded_at, ${tx.now}), size_bytes = 0, note = null,
      envelope_from = null, envelope_to = '{}', envelope_peer = null, envelope_helo = null
    where r.workspace_id = ${workspaceId} and r.message_id is null and r.state <> 'pending'
      and (r.envelope_from ilike any(${patterns}::text[]) or r.note ilike any(${patterns}::text[])
        or array_to_string(r.envelope_to, ' ') ilike any(${patterns}::text[]))
    returning r.sha256`);
  await noteLooseBlobs(tx, workspaceId, erased);
}

async function scrubTitles(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const scrub = scrubOf(person);
  const rows = await tx.rows<{ id: string; title: string }>(sql`
    select id, title from notifications
    where workspace_id = ${workspaceId} and title ilike any(${addressPatterns(person)}::text[])`);
  for (const { id, title } of rows)
    await tx.run(sql`
      update notifications set title = ${scrub(title)} where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Events that tell of an address, and saved lists that search for one. */
async function scrubJson(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, patterns }: { person: Person; patterns: readonly string[] },
): Promise<void> {
  const scrub = scrubOf(person);
  const events = await tx.rows<{ id: string; text: string }>(sql`
    select id, data::text as text from activity
    where workspace_id = ${workspaceId} and data::text ilike any(${patterns}::text[])`);
  for (const { id, text } of events)
    await tx.run(sql`
      update activity set data = ${scrub(text)}::jsonb where workspace_id = ${workspaceId} and id = ${id}`);
  const views = await tx.rows<{ id: string; text: string }>(sql`
    select id, query::text as text from views
    where workspace_id = ${workspaceId} and query::text ilike any(${patterns}::text[])`);
  for (const { id, text } of views)
    await tx.run(sql`
      update views set query = ${scrub(text)}::jsonb where workspace_id = ${workspaceId} and id = ${id}`);
}

/** The entries stay, without the address. Nobody may change entries, so the right to is granted for this alone. */
async function scrubAudit(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, patterns }: { person: Person; patterns: readonly string[] },
): Promise<void> {
  const scrub = scrubOf(person);
  const entries = await tx.rows<{ id: string; text: string }>(sql`
    select id, data::text as text from audit_log
    where workspace_id = ${workspaceId} and data::text ilike any(${patterns}::text[])`);
  if (entries.length === 0) return;
  await tx.run(mayChangeAudit);
  for (const { id, text } of entries)
    await tx.run(sql`
      update audit_log set data = ${scrub(text)}::jsonb where workspace_id = ${workspaceId} and id = ${id}`);
  await tx.run(mayNotChangeAudit);
}

const mayChangeAudit: Sql = sql`grant update (data) on audit_log to current_user`;
const mayNotChangeAudit: Sql = sql`revoke update (data) on audit_log from current_user`;
