import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { searchedTexts } from '../../ground/database/table-sql.ts';
import { forgetAnswersOf } from '../../ground/http/idempotency.ts';
import { type MessageId, nilId, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { addressBase } from '../../ground/lib/plus-address.ts';
import { searchQuery } from '../../ground/lib/search-query.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { erasedAddress } from '../contacts/erased-address.ts';
import { recountStorage } from '../files/storage-quota.ts';
import { eraseStrayMails } from '../messages/erase-raw-mails.ts';
import { wordsOfMessage } from '../messages/words.ts';
import { readSender } from '../spam/sender.ts';
import { scrubTickets } from './erase-tickets.ts';
import { erasedText, likeAddresses, type Person, type Scrub, scrubOf, without } from './person.ts';
import { blankOwnMessages, scrubMessages } from './scrub-messages.ts';

/** A statement may take half a minute. On a very busy machine, the texts of 1,000 messages of 27 kB took 15 seconds. */
const messagesAtOnce = 200;

/**
 * Removes the addresses from the next messages of other tickets, such as a note of a colleague. Names stay there,
 * because another person may bear them. A ticket stays as it is if a participant has such an address now, because that
 * participant is somebody new.
 * @returns the last message that was searched; undefined when none remain
 */
export async function eraseMentions(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, after }: { person: Person; after: string | null },
): Promise<MessageId | undefined> {
  const searched = await tx.rows<{ id: MessageId }>(sql`
    select id from messages
    where workspace_id = ${workspaceId} and id > ${after ?? nilId}::uuid
    order by id
    limit ${messagesAtOnce}`);
  const last = searched.at(-1)?.id;
  if (last === undefined) return undefined;
  const found = await findMentions(tx, workspaceId, { person, after, last });
  if (found.length === 0) return last;
  const tickets = [...new Set(found.map(({ ticketId }) => ticketId))].sort();
  // Locks in one order, as all code does.
  await tx.run(sql`
    select from tickets where workspace_id = ${workspaceId} and id = any(${tickets}::uuid[]) order by id
    for no key update`);
  const byAddress = { ...person, names: [] };
  const own = found.filter(({ isTheirs }) => isTheirs).map(({ id }) => id);
  const changed = await scrubMessages(tx, workspaceId, {
    person: byAddress,
    messageIds: found.filter(({ isTheirs }) => !isTheirs).map(({ id }) => id),
    isOfConversation: false,
  });
  await blankOwnMessages(tx, workspaceId, { person, messageIds: own });
  const changedTickets = found.filter(({ id }) => [...changed, ...own].includes(id)).map(({ ticketId }) => ticketId);
  await scrubTickets(tx, workspaceId, { person: byAddress, tree: [...new Set(changedTickets)].sort() });
  return last;
}

type Mention = { id: MessageId; ticketId: TicketId; isTheirs: boolean };

function findMentions(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, after, last }: { person: Person; after: string | null; last: MessageId },
): Promise<Mention[]> {
  const patterns = likeAddresses(person);
  const queries = person.addresses.flatMap((address) => searchQuery(workspaceId, `"${address}"`)?.wanted ?? []);
  // A ticket may have a message of somebody who does not take part in it, as after an import.
  const stubs = person.contactIds.map(erasedAddress);
  return tx.rows<Mention>(sql`
    select m.id, m.ticket_id as "ticketId",
      coalesce(m.author_contact_id = any(${person.contactIds}::uuid[]), false) as "isTheirs"
    from messages m
    where m.workspace_id = ${workspaceId} and m.id > ${after ?? nilId}::uuid and m.id <= ${last}::uuid
      and not exists (
        select from contacts c
        join ticket_participants p
          on p.workspace_id = ${workspaceId} and p.ticket_id = m.ticket_id and p.contact_id = c.id
        where c.workspace_id = ${workspaceId} and c.email_key = any(${person.addresses.map(caseKey)}::text[])
      ) and (
        (m.author_contact_id = any(${person.contactIds}::uuid[]) and m.author_email <> all(${stubs}::text[]))
        or exists (
          select from ${wordsOfMessage(workspaceId, sql`m.id`)} w where w.search @@ any(${queries}::tsquery[])
        )
        or m.author_email ilike any(${patterns}::text[])
        or ${searchedTexts('messages', 'm')} ilike any(${patterns}::text[])
      )`);
}

/** Removes the addresses from all that belongs to no ticket of the person. One step, and the last. */
export async function eraseRest(
  tx: Tx,
  workspaceId: WorkspaceId,
  { requestedAt, ...named }: Person & { requestedAt: string },
): Promise<void> {
  const person = { ...named, names: [] };
  const keys = person.addresses.map(caseKey);
  const bases = person.addresses.map(addressBase);
  const blocked = person.addresses.flatMap((address) => readSender(address)?.key ?? []);
  const patterns = likeAddresses(person);
  const scrub = scrubOf(person);
  await scrubLabels(tx, workspaceId, person, patterns);
  await together([
    tx.run(sql`
      delete from mailed_recipients where workspace_id = ${workspaceId} and email_key = any(${keys}::text[])`),
    tx.run(sql`
      delete from auto_reply_log where workspace_id = ${workspaceId} and address_key = any(${bases}::text[])`),
    eraseAnswers(tx, workspaceId, person, patterns),
    tx.run(sql`
      delete from blocked_senders where workspace_id = ${workspaceId} and sender_key = any(${blocked}::text[])`),
    forgetAnswersOf(tx, workspaceId, sql`body ilike any(${patterns}::text[])`),
    eraseMailIds(tx, workspaceId, person, patterns),
    eraseStrays(tx, workspaceId, { person, patterns, requestedAt }),
    scrubTagColours(tx, workspaceId, scrub, patterns),
    tx.run(sql`
      delete from bulk_change_tickets
      where workspace_id = ${workspaceId} and made->'fields'->>'tags' ilike any(${patterns}::text[])`),
    scrubImports(tx, workspaceId, patterns),
  ]);
  await recountStorage(tx, workspaceId);
}

/** Scrubs the subjects and tags of other people's tickets, such as the subjects of forms. */
async function scrubLabels(tx: Tx, workspaceId: WorkspaceId, person: Person, patterns: string[]): Promise<void> {
  const scrub = scrubOf(person);
  const found = await tx.rows<{ id: TicketId; subject: string; tags: string[] }>(sql`
    select id, subject, tags from tickets
    where workspace_id = ${workspaceId} and array_to_string(subject || tags, ' ') ilike any(${patterns}::text[])`);
  const tree = found
    .filter(({ subject, tags }) => [subject, ...tags].some((text) => scrub.text(text) !== text))
    .map(({ id }) => id);
  await scrubTickets(tx, workspaceId, { person, tree });
}

/** Of the person's answers, the scores stay, which nobody can tell from others. Their pages are gone. */
async function eraseAnswers(tx: Tx, workspaceId: WorkspaceId, person: Person, patterns: string[]): Promise<void> {
  await tx.run(sql`
    update survey_asks
    set comment = null, visitor = null, expires_at = least(expires_at, ${tx.now}::timestamptz)
    where workspace_id = ${workspaceId} and contact_id = any(${person.contactIds}::uuid[])`);
  await tx.run(sql`
    update survey_asks set comment = null
    where workspace_id = ${workspaceId} and comment ilike any(${patterns}::text[])`);
}

async function eraseMailIds(tx: Tx, workspaceId: WorkspaceId, person: Person, patterns: string[]): Promise<void> {
  const scrub = scrubOf(person);
  const found = await tx.rows<{ id: string }>(sql`
    select rfc_message_id as id from mail_ids
    where workspace_id = ${workspaceId} and rfc_message_id ilike any(${patterns}::text[])`);
  const theirs = found.filter(({ id }) => scrub.text(id) !== id).map(({ id }) => id);
  await tx.run(sql`
    delete from mail_ids where workspace_id = ${workspaceId} and rfc_message_id = any(${theirs}::text[])`);
}

/** Mails in quarantine, and others without a message. */
async function eraseStrays(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, patterns, requestedAt }: { person: Person; patterns: readonly string[]; requestedAt: string },
): Promise<void> {
  const scrub = scrubOf(person);
  const found = await tx.rows<{ id: string; from: string | null; to: string[]; note: string | null }>(sql`
    select id, envelope_from as "from", envelope_to as "to", note from raw_mails
    where workspace_id = ${workspaceId} and message_id is null and state <> 'pending' and received_at <= ${requestedAt}
      and concat_ws(' ', envelope_from, note, array_to_string(envelope_to, ' ')) ilike any(${patterns}::text[])`);
  const theirs = found
    .filter(
      ({ from, to, note }) => without([from ?? '', ...to], person).length <= to.length || scrub.text(note) !== note,
    )
    .map(({ id }) => id);
  await eraseStrayMails(tx, workspaceId, theirs);
}

/** Forgets the colours of tags that have an address. */
async function scrubTagColours(tx: Tx, workspaceId: WorkspaceId, scrub: Scrub, patterns: string[]): Promise<void> {
  const found = await tx.maybe<{ colours: { tag: string }[] }>(sql`
    select tag_colours as colours from workspaces
    where id = ${workspaceId} and tag_colours::text ilike any(${patterns}::text[])
    for no key update`);
  if (found === undefined) return;
  const kept = found.colours.filter(({ tag }) => scrub.text(tag) === tag);
  await tx.run(sql`update workspaces set tag_colours = ${JSON.stringify(kept)}::jsonb where id = ${workspaceId}`);
}

/** Takes away the names of imported files that have an address, as mail programs call a saved mail. */
async function scrubImports(tx: Tx, workspaceId: WorkspaceId, patterns: string[]): Promise<void> {
  // The ending stays, since it tells how a file is read.
  await tx.run(sql`
    update mail_import_files set file_name = ${erasedText} || coalesce(substring(file_name from '[.][a-zA-Z0-9]+$'), '')
    where workspace_id = ${workspaceId} and file_name ilike any(${patterns}::text[])`);
  await tx.run(sql`
    update mail_imports
    set problems = (
      select jsonb_agg(
        case when p.one->>'source' ilike any(${patterns}::text[])
          then jsonb_set(p.one, '{source}', to_jsonb(${erasedText}::text)) else p.one end
        order by p.place)
      from jsonb_array_elements(problems) with ordinality p (one, place))
    where workspace_id = ${workspaceId} and problems::text ilike any(${patterns}::text[])`);
}
