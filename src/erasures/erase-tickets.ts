import { record } from '../activity/record.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { recountStorage } from '../files/storage-quota.ts';
import { forgetAnswers } from '../http/idempotency.ts';
import type { ContactId, MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { deleteTickets } from '../tickets/delete-tickets.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { keepsSummary, summarise } from '../tickets/summary.ts';
import { lockTree } from '../trash/trash.ts';
import { erasedText, type Person, scrubOf } from './person.ts';
import { blankOwnMessages, scrubMessages } from './scrub-messages.ts';

export type Erased = { deleted: number; kept: number; messages: number };

/**
 * Deletes a ticket in which nobody else takes part, with all that was merged into it. In a shared one, the person's
 * messages become stubs, and the rest no longer names the person. A repeat does no harm.
 */
export async function eraseFromTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, ticketId }: { person: Person; ticketId: TicketId },
): Promise<Erased> {
  const rootId = await findRoot(tx, workspaceId, ticketId);
  if (rootId === undefined) return { deleted: 0, kept: 0, messages: 0 };
  const tree = await lockTree(tx, workspaceId, rootId);
  if (tree.length === 0) return { deleted: 0, kept: 0, messages: 0 };
  const messages = await listMessagesOf(tx, workspaceId, tree);
  if (await isShared(tx, workspaceId, { tree, person })) {
    const own = messages.filter(({ authorId }) => authorId !== null && person.contactIds.includes(authorId));
    const others = messages.filter((message) => !own.includes(message));
    await scrubMessages(tx, workspaceId, { person, messageIds: others.map(({ id }) => id), hasQuotes: true });
    await blankOwnMessages(tx, workspaceId, { person, messageIds: own.map(({ id }) => id) });
    await scrubTickets(tx, workspaceId, { person, tree });
    await tellOf(tx, workspaceId, own);
    return { deleted: 0, kept: 1, messages: own.length };
  }
  await deleteTickets(tx, workspaceId, tree, null);
  await forgetAnswers(tx, workspaceId, tree);
  await recountStorage(tx, workspaceId);
  return { deleted: 1, kept: 0, messages: messages.length };
}

async function findRoot(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<TicketId | undefined> {
  const root = await tx.maybe<{ id: TicketId }>(sql`
    with recursive up (id, into_id) as (
      select t.id, t.merged_into_id from tickets t where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
      union all
      select t.id, t.merged_into_id
      from up
      join tickets t on t.workspace_id = ${workspaceId} and t.id = up.into_id
    )
    select id from up where into_id is null`);
  return root?.id;
}

type OfTree = { id: MessageId; ticketId: TicketId; authorId: ContactId | null };

function listMessagesOf(tx: Tx, workspaceId: WorkspaceId, tree: readonly TicketId[]): Promise<OfTree[]> {
  return tx.rows<OfTree>(sql`
    select id, ticket_id as "ticketId", author_contact_id as "authorId"
    from messages
    where workspace_id = ${workspaceId} and ticket_id = any(${tree}::uuid[])`);
}

async function isShared(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tree, person: { contactIds } }: { tree: readonly TicketId[]; person: Person },
): Promise<boolean> {
  const { shared } = await tx.one<{ shared: boolean }>(sql`
    select exists (
        select from ticket_participants p
        where p.workspace_id = ${workspaceId} and p.ticket_id = any(${tree}::uuid[])
          and p.contact_id <> all(${contactIds}::uuid[])
      ) or exists (
        select from tickets t
        where t.workspace_id = ${workspaceId} and t.id = any(${tree}::uuid[])
          and t.requester_id is not null and t.requester_id <> all(${contactIds}::uuid[])
      ) as shared`);
  return shared;
}

/** Tells streams and webhooks of each stub. */
async function tellOf(tx: Tx, workspaceId: WorkspaceId, messages: readonly OfTree[]): Promise<void> {
  for (const { id: messageId, ticketId } of messages)
    await record(tx, {
      workspaceId,
      ticketId,
      actor: { type: 'system' },
      type: 'message.redacted',
      data: { messageId },
      isQuiet: true,
    });
}

/** Rewrites subjects, past subjects, titles of notifications, drafts and search words of tickets. */
export async function scrubTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, tree }: { person: Person; tree: readonly TicketId[] },
): Promise<void> {
  const scrub = scrubOf(person);
  const tickets = await tx.rows<{ id: TicketId; subject: string; isTheirs: boolean }>(sql`
    select id, subject, coalesce(requester_id = any(${person.contactIds}::uuid[]), false) as "isTheirs"
    from tickets
    where workspace_id = ${workspaceId} and id = any(${tree}::uuid[])
    order by id
    for no key update`);
  for (const { id, subject, isTheirs } of tickets) {
    // The person wrote the subject, which may say anything.
    if (isTheirs) await forgetSubjects(tx, workspaceId, id);
    await tx.run(sql`
      update tickets
      set subject = ${isTheirs ? erasedText : scrub(subject)}, version = version + 1, ${keepsSummary}
      where workspace_id = ${workspaceId} and id = ${id}`);
    await scrubDrafts(tx, workspaceId, { person, ticketId: id });
    await together([summarise(tx, workspaceId, id), refreshTicketSearch(tx, workspaceId, id)]);
  }
  await forgetAnswers(
    tx,
    workspaceId,
    tickets.map(({ id }) => id),
  );
  await recountStorage(tx, workspaceId);
}

async function forgetSubjects(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  await together([
    tx.run(sql`
      update activity set data = ${JSON.stringify({ from: erasedText, to: erasedText })}::jsonb
      where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and type = 'ticket.subject_changed'`),
    tx.run(sql`delete from notifications where workspace_id = ${workspaceId} and reference_id = ${ticketId}`),
  ]);
}

/** Rewrites the drafts of a ticket, or with null those of no ticket that name an address. */
export async function scrubDrafts(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, ticketId }: { person: Person; ticketId: TicketId | null },
): Promise<void> {
  const scrub = scrubOf(person);
  const drafts = await tx.rows<{ id: string; subject: string; body: string; bodyHtml: string | null }>(sql`
    select id, subject, body, body_html as "bodyHtml" from drafts
    where workspace_id = ${workspaceId}
      and (ticket_id = ${ticketId}::uuid or ${ticketId}::uuid is null)
    for update`);
  const keys = person.addresses.map((address) => address.toLowerCase());
  const kept = (column: 'to' | 'cc' | 'bcc') => {
    const list = { to: sql`to_addresses`, cc: sql`cc_addresses`, bcc: sql`bcc_addresses` }[column];
    return sql`array(select a from unnest(${list}) a where lower(a) <> all(${keys}::text[]))`;
  };
  for (const { id, subject, body, bodyHtml } of drafts)
    await tx.run(sql`
      update drafts
      set subject = ${scrub(subject)}, body = ${scrub(body)}, body_html = ${scrub(bodyHtml)},
        to_addresses = ${kept('to')}, cc_addresses = ${kept('cc')}, bcc_addresses = ${kept('bcc')}
      where workspace_id = ${workspaceId} and id = ${id}`);
}
