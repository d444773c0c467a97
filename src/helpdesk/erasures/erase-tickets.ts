import { record } from '../../events/activity/record.ts';
import { passOn } from '../../events/notifications/pass-on.ts';
import { type Automation, automation } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { forgetAnswers } from '../../ground/http/idempotency.ts';
import type { ContactId, MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { erasedAddress } from '../contacts/erased-address.ts';
import { recountStorage } from '../files/storage-quota.ts';
import { lockTree } from '../tickets/change.ts';
import { deleteTickets } from '../tickets/delete-tickets.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { keepsSummary, summarise } from '../tickets/summary.ts';
import { erasedText, type Person, scrubOf } from './person.ts';
import { hasOthers } from './queries.ts';
import { blankOwnMessages, scrubMessages } from './scrub-messages.ts';
import { type ScrubbedTable, scrubTable } from './scrub-table.ts';

export type Erased = { deleted: number; kept: number; messages: number };

/**
 * Deletes a ticket in which nobody else takes part, with all that was merged into it. In a shared ticket, the person's
 * messages become stubs, and the rest no longer names the person. A repeat does no harm.
 */
export async function eraseFromTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, ticketId, erasureId }: { person: Person; ticketId: TicketId; erasureId: string },
): Promise<Erased> {
  const rootId = await findRoot(tx, workspaceId, ticketId);
  if (rootId === undefined) return { deleted: 0, kept: 0, messages: 0 };
  const tree = await lockTree(tx, machineScope(workspaceId), rootId);
  if (tree.length === 0) return { deleted: 0, kept: 0, messages: 0 };
  const messages = await listMessagesOf(tx, workspaceId, { tree, person });
  const own = messages.filter(({ authorId }) => authorId !== null && person.contactIds.includes(authorId));
  const others = messages.filter((message) => !own.includes(message));
  const { isShared } = await tx.one<{ isShared: boolean }>(sql`
    select ${hasOthers(workspaceId, person.contactIds, sql`= any(${tree}::uuid[])`)} as "isShared"`);
  if (isShared) {
    const ofOthers = others.map(({ id }) => id);
    await scrubMessages(tx, workspaceId, { person, messageIds: ofOthers, isOfConversation: true });
    await blankOwnMessages(tx, workspaceId, { person, messageIds: own.map(({ id }) => id) });
    await scrubTickets(tx, workspaceId, { person, tree });
    const fresh = own.filter(({ isStub }) => !isStub);
    await tellOf(tx, automation(workspaceId, { kind: 'erasure', id: erasureId }), fresh);
    // A merged ticket brings here once more.
    return { deleted: 0, kept: ticketId === rootId ? 1 : 0, messages: fresh.length };
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

type OfTree = { id: MessageId; ticketId: TicketId; authorId: ContactId | null; isStub: boolean };

function listMessagesOf(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tree, person }: { tree: readonly TicketId[]; person: Person },
): Promise<OfTree[]> {
  return tx.rows<OfTree>(sql`
    select id, ticket_id as "ticketId", author_contact_id as "authorId",
      coalesce(author_email = any(${person.contactIds.map(erasedAddress)}::text[]), false) as "isStub"
    from messages
    where workspace_id = ${workspaceId} and ticket_id = any(${tree}::uuid[])`);
}

/** Tells streams and webhooks of each stub. */
async function tellOf(tx: Tx, by: Automation, messages: readonly OfTree[]): Promise<void> {
  for (const { id: messageId, ticketId } of messages)
    await record(tx, by, {
      ticketId,
      type: 'message.redacted',
      data: { messageId },
      isQuiet: true,
    });
}

/** Rewrites subjects, tags, search words, drafts, and all else that belongs to tickets. */
export async function scrubTickets(
  tx: Tx,
  workspaceId: WorkspaceId,
  { person, tree }: { person: Person; tree: readonly TicketId[] },
): Promise<void> {
  if (tree.length === 0) return;
  const scrub = scrubOf(person);
  const tickets = await tx.rows<{ id: TicketId; subject: string; tags: string[]; isTheirs: boolean }>(sql`
    select id, subject, tags, coalesce(requester_id = any(${person.contactIds}::uuid[]), false) as "isTheirs"
    from tickets
    where workspace_id = ${workspaceId} and id = any(${tree}::uuid[])
    order by id
    for no key update`);
  const scrubRows = (table: ScrubbedTable, which: Sql) => scrubTable(tx, workspaceId, table, { person, which });
  const ofThem = sql`r.ticket_id = any(${tree}::uuid[])`;
  const itsEvents = sql`select a.id from activity a
    where a.workspace_id = ${workspaceId} and a.ticket_id = any(${tree}::uuid[])`;
  await together([
    scrubRows('activity', ofThem),
    scrubRows('webhook_deliveries', sql`r.activity_id in (${itsEvents})`),
    scrubRows('notifications', sql`r.reference_id = any(${tree}::uuid[])`),
    scrubRows('attachments', ofThem),
    scrubRows('drafts', ofThem),
  ]);
  for (const { id, subject, tags, isTheirs } of tickets) {
    // The person wrote the subject, which may say anything.
    if (isTheirs) await forgetSubjects(tx, workspaceId, id);
    const kept = tags.filter((tag) => scrub.text(tag) === tag);
    await tx.run(sql`
      update tickets
      set subject = ${isTheirs ? erasedText : scrub.text(subject)}, tags = ${kept}::text[],
        tag_keys = ${kept.map(caseKey)}::text[], version = version + 1, ${keepsSummary}
      where workspace_id = ${workspaceId} and id = ${id}`);
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
  await passOn(tx, workspaceId, [ticketId]);
  const past = sql`
    select a.id from activity a
    where a.workspace_id = ${workspaceId} and a.ticket_id = ${ticketId} and a.type = 'ticket.subject_changed'`;
  await together([
    tx.run(sql`
      delete from webhook_deliveries
      where workspace_id = ${workspaceId} and status <> 'pending' and activity_id in (${past})`),
    tx.run(sql`
      update activity set data = ${JSON.stringify({ from: erasedText, to: erasedText })}::jsonb
      where workspace_id = ${workspaceId} and id in (${past})`),
    tx.run(sql`delete from notifications where workspace_id = ${workspaceId} and reference_id = ${ticketId}`),
  ]);
}
