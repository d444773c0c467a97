import { type ReaderPosition, startOf } from '../../events/activity/position.ts';
import type { Notification } from '../../events/notifications/schema.ts';
import type { Cause } from '../../ground/catalog/cause.ts';
import type { EventType } from '../../ground/catalog/events.ts';
import { everything, type Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Moment, pastTransaction, readMoment } from '../../ground/database/moment.ts';
import { isNarrow, makersSight, partsOf } from '../../ground/database/sight.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { isOfKey, ofVisible, showsTeam, visible } from '../../ground/database/visible.ts';
import { idAt, type MessageId, nilId, type TicketId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../../helpdesk/tickets/queries.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';

/** A fact with its ticket's present state as in lists, or with its data if the fact concerns a mailbox. */
export type StreamFact = {
  id: string;
  transactionId: bigint;
  type: EventType;
  ticketId: TicketId | null;
  messageId: MessageId | null;
  actor: { type: 'customer' | 'agent' | 'system'; userId: UserId | null };
  cause: Cause | null;
  createdAt: string;
  /** Also null once the reader does not see the ticket any more. */
  ticket: Ticket | null;
  /** Null for facts of tickets, because their data may contain message texts. */
  data: object | null;
  notifications: StreamNotification[];
};
type StreamNotification = Notification & { userId: UserId };

export type FactsPage = {
  facts: StreamFact[];
  /** Everything up to here was read. The epoch is the database's current epoch, which may differ from the reader's. */
  end: ReaderPosition;
  hasMore: boolean;
  /** Whether facts were left out because an older transaction, still under way, may yet add earlier facts. */
  isHeldBack: boolean;
};

const pageMax = 100;

/** Null without a ticket. */
type TicketFields = { [Name in keyof TicketRow]: TicketRow[Name] | null };

type FactRow = Pick<StreamFact, 'type' | 'ticketId' | 'messageId' | 'data' | 'cause'> &
  TicketFields & {
    factId: string;
    happenedAt: string;
    transactionId: string;
    isCertain: boolean;
    actorType: StreamFact['actor']['type'];
    actorUserId: UserId | null;
    notifications: StreamNotification[] | null;
  };

/**
 * Reads a workspace's facts after a position, in a final order: no fact can appear in between later. Rows and
 * transactions get their ids before the commit. So a fact's place is only certain once its transaction is older than
 * all that are under way. A fact with a future transaction id comes from a restore and is skipped.
 */
export async function readFacts(db: Queryable, scope: Scope, after: ReaderPosition): Promise<FactsPage> {
  const { workspaceId } = scope;
  const position = sql`(${String(after.transactionId)}::xid8, ${after.factId}::uuid)`;
  const isBehind =
    after.part === 'event' ? sql`(a.transaction_id, a.id) >= ${position}` : sql`(a.transaction_id, a.id) > ${position}`;
  const moment = await readMoment(db);
  const rows = await db.rows<FactRow>(sql`
    select a.id as "factId", a.transaction_id as "transactionId", a.type, a.ticket_id as "ticketId",
      a.data ->> 'messageId' as "messageId", case when a.ticket_id is null then a.data end as data,
      a.cause, a.actor_type as "actorType", a.actor_user_id as "actorUserId", a.created_at as "happenedAt",
      a.transaction_id < ${moment.horizon}::xid8 as "isCertain",
      ${ticketColumns(scope)},
      (
        select json_agg(json_build_object('id', n.id, 'userId', n.user_id, 'type', n.type,
          'referenceId', n.reference_id, 'messageId', n.message_id, 'mailboxId', n.mailbox_id,
          'actorId', n.actor_id, 'title', n.title, 'count', n.count,
          'readAt', ${jsonTime(sql`n.read_at`)}, 'createdAt', ${jsonTime(sql`n.created_at`)}))
        from notifications n
        where n.workspace_id = ${workspaceId} and n.activity_id = a.id
      ) as notifications
    from activity a
    left join tickets t on t.workspace_id = ${workspaceId} and t.id = a.ticket_id and ${visible(scope, 't')}
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where a.workspace_id = ${workspaceId} and ${isTold(scope)} and ${isBehind}
      and a.transaction_id < ${moment.next}::xid8
    order by a.transaction_id, a.id
    limit ${pageMax + 1}`);
  return pageOf(moment, rows);
}

/**
 * The condition on fact `a` with its visible ticket `t`. Of a ticket that leaves the sight of the scope, because its
 * team or its assignee changes, this change is told, without the ticket.
 */
function isTold(scope: Scope): Sql {
  if (scope.sight === everything) return sql`true`;
  const { workspaceId, sight } = scope;
  const from = sql`(a.data ->> 'from')::uuid`;
  const team = sql`(
    select moved.team_id from tickets moved where moved.workspace_id = ${workspaceId} and moved.id = a.ticket_id)`;
  return sql`(a.ticket_id is null or t.id is not null or case
      when a.type = 'ticket.team_changed' then ${wasOfScope(scope, from)}
      when a.type = 'ticket.assigned'
        then ${from} is not distinct from ${partsOf(sight).userId}::uuid and ${isOfKey(scope, team)}
      else false
    end)`;
}

/** The condition that a team, which ticket `a.ticket_id` has left, showed it. */
function wasOfScope(scope: Scope, from: Sql): Sql {
  const { workspaceId, sight } = scope;
  if (!isNarrow(sight)) return showsTeam(scope, from);
  // Of a ticket that its maker still sees, the key sees no more only because of the team.
  const maker = { workspaceId, sight: makersSight(sight) };
  return sql`(${isOfKey(scope, from)} and (${showsTeam(maker, from)} or ${ofVisible(maker, 'a.ticket_id')}))`;
}

function pageOf({ epoch, horizon }: Moment, found: readonly FactRow[]): FactsPage {
  const certain = found.filter(({ isCertain }) => isCertain);
  const facts = certain.slice(0, pageMax).map(factOf);
  const last = facts.at(-1);
  const hasMore = certain.length > pageMax;
  const end: ReaderPosition =
    hasMore && last !== undefined
      ? { epoch, transactionId: last.transactionId, factId: last.id, part: 'notification' }
      : startOf(epoch, BigInt(horizon));
  return { facts, end, hasMore, isHeldBack: certain.length < found.length };
}

function factOf(row: FactRow): StreamFact {
  const { factId, type, ticketId, messageId, happenedAt, actorType, actorUserId, cause, notifications } = row;
  return {
    id: factId,
    transactionId: BigInt(row.transactionId),
    type,
    ticketId,
    messageId,
    actor: { type: actorType, userId: actorUserId },
    cause,
    createdAt: happenedAt,
    // The cast holds: all columns of a ticket that is there are there.
    ticket: row.id === null ? null : ticketOf(row as FactRow & TicketRow),
    data: row.data,
    notifications: notifications ?? [],
  };
}

/** Formats an instant as the API does. */
function jsonTime(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The start for a reader that wants everything from now on. */
export async function readNow(db: Queryable): Promise<ReaderPosition> {
  const { epoch, horizon } = await readMoment(db);
  return startOf(epoch, BigInt(horizon));
}

/**
 * The start for a reader that wants all facts from a moment on, and once more the facts since a time. Imported history
 * does not count: it belongs to the oldest transaction, from which the reader would get the whole workspace.
 */
export async function readSince(
  db: Queryable,
  workspaceId: WorkspaceId,
  { epoch, horizon }: Moment,
  since: Date,
): Promise<ReaderPosition> {
  // Compares numbers, so that the planner finds the facts by time in the primary key. With xid8 it would use the
  // stream's index to search for the workspace's smallest transaction id.
  const { first } = await db.one<{ first: string | null }>(sql`
    select min(a.transaction_id::text::numeric)::text as first
    from activity a
    where a.workspace_id = ${workspaceId} and a.id >= ${idAt(since)}::uuid
      and a.transaction_id <> ${pastTransaction}::xid8`);
  return startOf(epoch, first !== null && BigInt(first) < BigInt(horizon) ? BigInt(first) : BigInt(horizon));
}

/**
 * Whether a reader of this history can have reached a position. Readers never get uncertain facts, so a valid position
 * is not in the future. Facts are never deleted, so the fact of a valid position exists.
 */
export async function isOfHistory(
  db: Queryable,
  workspaceId: WorkspaceId,
  { epoch: of, transactionId, factId }: ReaderPosition,
): Promise<boolean> {
  const { epoch, horizon } = await readMoment(db);
  if (of !== epoch || transactionId > BigInt(horizon)) return false;
  if (factId === nilId) return true;
  const fact = await db.maybe(sql`
    select 1 from activity
    where workspace_id = ${workspaceId} and transaction_id = ${String(transactionId)}::xid8 and id = ${factId}`);
  return fact !== undefined;
}

type Reader = { workspaceId: WorkspaceId; head: ReaderPosition };

/** Finds workspaces with facts after their reader's head, or all workspaces if the database's history has changed. */
export async function findNews(db: Queryable, readers: readonly Reader[]): Promise<WorkspaceId[]> {
  if (readers.length === 0) return [];
  const { epoch, horizon } = await readMoment(db);
  const outdated = readers.filter(({ head }) => head.epoch !== epoch);
  const heads = readers.map(({ head }) => head);
  // Facts after a head are few, because its reader has just been there.
  const found = await db.rows<{ workspaceId: WorkspaceId }>(sql`
    select distinct a.workspace_id as "workspaceId"
    from unnest(${readers.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${heads.map(({ transactionId }) => String(transactionId))}::xid8[],
      ${heads.map(({ factId }) => factId)}::uuid[]) r (workspace_id, transaction_id, fact_id)
    join activity a on a.workspace_id = r.workspace_id and (a.transaction_id, a.id) > (r.transaction_id, r.fact_id)
      and a.transaction_id < ${horizon}::xid8`);
  return [...outdated, ...found].map(({ workspaceId }) => workspaceId);
}
