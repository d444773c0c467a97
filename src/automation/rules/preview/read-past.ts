import type { ReadFact } from '../../../events/activity/fact-reader.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { pastTransaction } from '../../../ground/database/moment.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import { visible } from '../../../ground/database/visible.ts';
import type { TicketId } from '../../../ground/lib/ids.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../../../helpdesk/tickets/queries.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { isCounted } from '../../../helpdesk/tickets/summary.ts';
import type { RuleTrigger } from '../schema.ts';
import type { AtTheTime, LaterFact } from './earlier-state.ts';

/** A fact of the past, as the reader of rules has it. */
export type PastFact = Pick<
  ReadFact,
  'id' | 'transactionId' | 'type' | 'actorType' | 'data' | 'cause' | 'createdAt'
> & {
  ticket: NonNullable<ReadFact['ticket']> & { id: TicketId };
};

/** Of the newest facts of a workspace. A rare event beyond them is not looked for. */
const lookedAtMax = 100_000;

/** Facts of tickets that the actor sees, the newest first. */
export function listPastFacts(
  db: Queryable,
  actor: Actor,
  { event }: RuleTrigger,
  { before, limit }: { before: PastFact | undefined; limit: number },
): Promise<PastFact[]> {
  const { workspaceId } = actor;
  const types = event === 'message.added' ? ['ticket.created', 'message.delivery_changed', event] : [event];
  const earlier =
    before === undefined
      ? emptySql
      : sql`and (a.transaction_id, a.id) < (${before.transactionId}::xid8, ${before.id}::uuid)`;
  return db.rows<PastFact>(sql`
    select a.id, a.transaction_id::text as "transactionId", a.type, a.actor_type as "actorType", a.data, a.cause,
      a.created_at as "createdAt", jsonb_build_object('id', t.id, 'ticketNumber', t.ticket_number,
        'status', t.status, 'priority', t.priority, 'assigneeId', t.assignee_id) as ticket
    from (
      select a.id, a.transaction_id, a.type, a.actor_type, a.data, a.cause, a.created_at, a.ticket_id
      from activity a
      where a.workspace_id = ${workspaceId} ${earlier}
      order by a.transaction_id desc, a.id desc
      limit ${lookedAtMax}
    ) a
    join tickets t on t.workspace_id = ${workspaceId} and t.id = a.ticket_id
    where a.type = any(${types}::text[]) and ${visible(actor, 't')}
    order by a.transaction_id desc, a.id desc
    limit ${limit}`);
}

/** The tickets as they are now, by id. */
export async function readTicketsNow(
  db: Queryable,
  actor: Actor,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, Ticket>> {
  const { workspaceId } = actor;
  const rows = await db.rows<TicketRow>(sql`
    select ${ticketColumns(actor)}
    from tickets t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[]) and ${visible(actor, 't')}`);
  return new Map(rows.map((row) => [row.id, ticketOf(row)]));
}

type TicketEvent = LaterFact & { id: string; transactionId: string };
type PastMessage = { id: string; createdAt: string; fileCount: number };

/** What happened on a ticket, the newest first, and its messages, the oldest first. */
export type History = { events: TicketEvent[]; isWhole: boolean; messages: PastMessage[] };

/** A ticket with more has a history that is not whole. */
const eventsMax = 500;

export async function readHistories(
  db: Queryable,
  actor: Actor,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, History>> {
  const { workspaceId } = actor;
  const rows = await db.rows<History & { ticketId: TicketId }>(sql`
    select t.id as "ticketId", coalesce((
        select jsonb_agg(jsonb_build_object('id', e.id, 'transactionId', e.transaction_id::text,
          'type', e.type, 'data', e.data) order by e.id desc)
        from (
          select a.id, a.transaction_id, a.type, a.data from activity a
          where a.workspace_id = ${workspaceId} and a.ticket_id = t.id
          order by a.id desc
          limit ${eventsMax}
        ) e
      ), '[]') as events,
      (
        select count(*) <= ${eventsMax} from (
          select from activity a where a.workspace_id = ${workspaceId} and a.ticket_id = t.id limit ${eventsMax + 1}
        ) a
      ) as "isWhole",
      coalesce((
        select jsonb_agg(jsonb_build_object('id', m.id, 'createdAt', m.created_at, 'fileCount', (
            select count(*) from attachments f
            where f.workspace_id = ${workspaceId} and f.message_id = m.id and not f.is_inline
          )) order by m.created_at, m.id)
        from messages m
        where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and ${isCounted}
      ), '[]') as messages
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[]) and ${visible(actor, 't')}`);
  return new Map(rows.map((row) => [row.ticketId, row]));
}

/** What is known of the moment of a fact, beside what undoing gives. */
export function atFact({ events, messages }: History, fact: PastFact, now: Ticket): AtTheTime & { later: LaterFact[] } {
  const later = events.filter((event) => isLater(event, fact));
  const snooze = events.find(
    (event) => (event.type === 'ticket.snoozed' || event.type === 'ticket.woken') && !isLater(event, fact),
  );
  const laterMessages = new Set<string>(
    later.flatMap((one) => (one.type === 'message.added' ? [one.data.messageId] : [])),
  );
  const there = messages.filter(({ id }) => !laterMessages.has(id));
  return {
    later,
    at: fact.createdAt,
    snoozedUntil: snooze?.type === 'ticket.snoozed' ? snooze.data.until : null,
    lastMessageAt: there.at(-1)?.createdAt ?? now.createdAt,
    attachmentCount: there.reduce((sum, { fileCount }) => sum + fileCount, 0),
  };
}

/** Rules see a ticket as the whole commit left it, so facts of the same one are not later. Imports have none. */
function isLater(event: TicketEvent, fact: PastFact): boolean {
  return event.id > fact.id && (event.transactionId !== fact.transactionId || fact.transactionId === pastTransaction);
}
