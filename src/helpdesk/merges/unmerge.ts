import { record } from '../../events/activity/record.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { ContactId, MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { lockTickets, refuseSpam, refuseStale, type Target } from '../tickets/change.ts';
import type { Ticket } from '../tickets/schema.ts';
import { moveMessages, settleMoved } from './move-messages.ts';
import { findMergesInto, type MergeRow, ownPeople } from './standing-merges.ts';
import { takeBack } from './take-back.ts';

/**
 * Undoes a merge. The ticket gets back its former state and its messages, from wherever later merges took them.
 * Messages that a split moved, and messages written since, stay where they are.
 */
export async function unmergeTicket(
  tx: Tx,
  actor: Actor,
  { ticketId, ifMatch }: Target,
): Promise<{ source: Ticket; survivor: Ticket }> {
  const { workspaceId } = actor;
  const [source, ...heirs] = await lockHeirs(tx, actor, ticketId);
  if (source === undefined) throw new AppError('ticket.not_found');
  refuseStale(source, ifMatch);
  refuseSpam(source);
  const [target] = heirs;
  const last = heirs.at(-1);
  if (target === undefined || last === undefined) throw new AppError('ticket.not_merged');

  const merges = await findMergesInto(
    tx,
    workspaceId,
    heirs.map(({ id }) => id),
  );
  // Each source has exactly one merge, so the merges of the heirs come in the order of the heirs.
  const path = [source, ...heirs.slice(0, -1)].map(({ id }) => mergeOf(merges, id));
  const [undone] = path;
  if (undone === undefined) throw new Error(`the merge of ${ticketId} left no row`);
  const messageIds = await giveMessagesBack(tx, workspaceId, { path, ticketId });
  const changed = await takeBackBrought(tx, workspaceId, { merges, path, heirs });

  const { status, archivedAt, snoozedUntil } = undone;
  const movedMessages = messageIds.length;
  const recordLoss = (heirId: TicketId, moved: number) =>
    record(tx, actor, {
      ticketId: heirId,
      type: 'ticket.unmerged_from',
      data: { sourceTicketId: ticketId, movedMessages: moved },
    });
  const [sourceAfter, settled] = await together([
    // If the snooze ended during the merge, the ticket is due to wake.
    settleMoved(tx, workspaceId, { ...source, status, archivedAt, snoozedUntil, mergedIntoId: null }),
    together(changed.map((heir) => settleMoved(tx, workspaceId, heir))),
    record(tx, actor, { ticketId, type: 'ticket.unmerged', data: { fromTicketId: last.id, movedMessages } }),
    recordLoss(last.id, movedMessages),
    target.id === last.id ? undefined : recordLoss(target.id, 0),
  ]);
  const survivor = settled.find(({ id }) => id === last.id);
  if (survivor === undefined) throw new Error('the ticket that gave the messages back was not settled');
  return { source: sourceAfter, survivor };
}

/** Locks the ticket and everything that it was merged into in turn, survivor last. Empty if the ticket is missing. */
async function lockHeirs(tx: Tx, scope: Scope, ticketId: TicketId): Promise<Ticket[]> {
  const { workspaceId } = scope;
  const locked = new Map<TicketId, Ticket>();
  for (let wantedId: TicketId | null = ticketId; wantedId !== null; ) {
    const rows = await tx.rows<{ id: TicketId }>(sql`
      with recursive heirs (id, merged_into_id) as (
        select id, merged_into_id from tickets
        where workspace_id = ${workspaceId} and id = ${wantedId} and ${visible(scope, 'tickets')}
        union
        select t.id, t.merged_into_id
        from heirs h
        join tickets t on t.workspace_id = ${workspaceId} and t.id = h.merged_into_id
      )
      select id from heirs`);
    if (rows.length === 0) return [];
    const found = await lockTickets(
      tx,
      scope,
      rows.map(({ id }) => id),
    );
    for (const ticket of found.values()) locked.set(ticket.id, ticket);
    // While this transaction waited for the locks, the survivor may have been merged itself.
    wantedId = nextUnlocked(locked, ticketId);
  }
  return chainOf(locked, ticketId);
}

function chainOf(tickets: ReadonlyMap<TicketId, Ticket>, firstId: TicketId): Ticket[] {
  const chain: Ticket[] = [];
  for (let id: TicketId | null = firstId; id !== null; ) {
    const ticket = tickets.get(id);
    if (ticket === undefined) break;
    chain.push(ticket);
    id = ticket.mergedIntoId;
  }
  return chain;
}

function nextUnlocked(locked: ReadonlyMap<TicketId, Ticket>, firstId: TicketId): TicketId | null {
  return chainOf(locked, firstId).at(-1)?.mergedIntoId ?? null;
}

function mergeOf(merges: readonly MergeRow[], sourceId: TicketId): MergeRow {
  const merge = merges.find((row) => row.sourceId === sourceId);
  if (merge === undefined) throw new Error(`the merge of ${sourceId} left no row`);
  return merge;
}

/** Deletes the merge, and removes its messages from later merges. */
async function giveMessagesBack(
  tx: Tx,
  workspaceId: WorkspaceId,
  { path: [undone, ...later], ticketId }: { path: readonly MergeRow[]; ticketId: TicketId },
): Promise<MessageId[]> {
  const rows = await tx.rows<{ messageId: MessageId }>(sql`
    select message_id as "messageId" from merged_messages
    where workspace_id = ${workspaceId} and merge_id = ${undone?.id}`);
  const messageIds = rows.map(({ messageId }) => messageId);
  await together([
    moveMessages(tx, workspaceId, { messageIds, to: ticketId }),
    tx.run(sql`
      delete from merged_messages
      where workspace_id = ${workspaceId} and merge_id = any(${later.map(({ id }) => id)}::uuid[])
        and message_id = any(${messageIds}::uuid[])`),
    tx.run(sql`delete from ticket_merges where workspace_id = ${workspaceId} and id = ${undone?.id}`),
  ]);
  return messageIds;
}

/** @returns heirs with their remaining tags: always the survivor, and every other heir that loses tags or people */
async function takeBackBrought(
  tx: Tx,
  workspaceId: WorkspaceId,
  { merges, path, heirs }: { merges: readonly MergeRow[]; path: readonly MergeRow[]; heirs: readonly Ticket[] },
): Promise<Ticket[]> {
  const own = await ownPeople(tx, workspaceId, { path, heirs });
  const levels = path.map((by, level) => ({
    by,
    others: merges.filter(({ id, targetId }) => targetId === by.targetId && id !== by.id),
    ownPeople: own[level] ?? new Set<ContactId>(),
  }));
  const tags = takeBack(
    levels.map(({ by, others }) => ({ by: by.tags, others: others.map((other) => other.tags), own: new Set() })),
  );
  const people = takeBack(
    levels.map(({ by, others, ownPeople: staying }) => ({
      by: by.people,
      others: others.map((other) => other.people),
      own: staying,
    })),
  );
  await together([
    ...[...tags.brought].map(([id, keys]) =>
      tx.run(sql`
        update ticket_merges set brought_tag_keys = ${keys}::text[]
        where workspace_id = ${workspaceId} and id = ${id}`),
    ),
    ...[...people.brought].map(([id, contactIds]) =>
      tx.run(sql`
        update ticket_merges set brought_contact_ids = ${contactIds}::uuid[]
        where workspace_id = ${workspaceId} and id = ${id}`),
    ),
    ...heirs.map(({ id }, level) =>
      people.lost[level]?.length === 0
        ? undefined
        : tx.run(sql`
            delete from ticket_participants
            where workspace_id = ${workspaceId} and ticket_id = ${id}
              and contact_id = any(${people.lost[level]}::uuid[])`),
    ),
  ]);
  return heirs.flatMap((heir, level) => {
    const lostTags = new Set(tags.lost[level]);
    const isTouched = level === heirs.length - 1 || lostTags.size > 0 || people.lost[level]?.length !== 0;
    return isTouched ? [{ ...heir, tags: heir.tags.filter((tag) => !lostTags.has(caseKey(tag))) }] : [];
  });
}
