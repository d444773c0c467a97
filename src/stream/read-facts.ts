import type { EventType } from '../catalog/events.ts';
import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { idAt, type MessageId, nilId, type TicketId, type UserId, type WorkspaceId } from '../lib/ids.ts';
import type { Notification } from '../notifications/schema.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../tickets/queries.ts';
import type { Ticket } from '../tickets/schema.ts';
import { type Position, startOf } from './position.ts';

/** A fact with its ticket's present state as in lists, or with its data if the fact concerns a mailbox. */
export type StreamFact = {
  id: string;
  transactionId: bigint;
  type: EventType;
  ticketId: TicketId | null;
  messageId: MessageId | null;
  actor: { type: 'customer' | 'agent' | 'system'; userId: UserId | null };
  createdAt: string;
  ticket: Ticket | null;
  /** Null for facts of tickets, because their data may contain message texts. */
  data: object | null;
  notifications: StreamNotification[];
};
type StreamNotification = Notification & { userId: UserId };

export type FactsPage = {
  facts: StreamFact[];
  /** Everything up to here was read. The epoch is the database's current one, which may differ from the reader's. */
  end: Position;
  hasMore: boolean;
  /** Whether facts were left out because an older transaction, still under way, may yet add earlier ones. */
  isHeldBack: boolean;
};

const pageMax = 100;

type FactRow = Pick<StreamFact, 'type' | 'ticketId' | 'messageId' | 'data'> &
  Omit<TicketRow, 'id'> & {
    factId: string;
    id: TicketId | null;
    happenedAt: string;
    transactionId: string;
    isCertain: boolean;
    actorType: StreamFact['actor']['type'];
    actorUserId: UserId | null;
    notifications: StreamNotification[] | null;
  };
/** Without new facts the query returns one row without a fact. */
type Row = { epoch: string; horizon: string } & (FactRow | { factId: null });

/**
 * Reads a workspace's facts after a position, in a final order: no fact can appear in between later. Rows and
 * transactions get their ids before the commit. So a fact's place is only certain once its transaction is older than
 * all that are under way. A fact with a future transaction id comes from a restore and is skipped.
 */
export async function readFacts(db: Queryable, workspaceId: WorkspaceId, after: Position): Promise<FactsPage> {
  const position = sql`(${String(after.transactionId)}::xid8, ${after.factId}::uuid)`;
  const isBehind =
    after.part === 'event' ? sql`(a.transaction_id, a.id) >= ${position}` : sql`(a.transaction_id, a.id) > ${position}`;
  const rows = await db.rows<Row>(sql`
    select s.epoch, s.horizon, f.*
    from (select ${epoch} as epoch, pg_snapshot_xmin(pg_current_snapshot()) as horizon) s
    left join lateral (
      select a.id as "factId", a.transaction_id as "transactionId", a.type, a.ticket_id as "ticketId",
        a.data ->> 'messageId' as "messageId", case when a.ticket_id is null then a.data end as data,
        a.actor_type as "actorType", a.actor_user_id as "actorUserId", a.created_at as "happenedAt",
        a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) as "isCertain",
        ${ticketColumns},
        (
          select json_agg(json_build_object('id', n.id, 'userId', n.user_id, 'type', n.type,
            'referenceId', n.reference_id, 'messageId', n.message_id, 'actorId', n.actor_id, 'title', n.title,
            'count', n.count, 'readAt', ${jsonTime(sql`n.read_at`)}, 'createdAt', ${jsonTime(sql`n.created_at`)}))
          from notifications n
          where n.workspace_id = ${workspaceId} and n.activity_id = a.id
        ) as notifications
      from activity a
      left join tickets t on t.workspace_id = ${workspaceId} and t.id = a.ticket_id
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where a.workspace_id = ${workspaceId} and ${isBehind}
        and a.transaction_id < pg_snapshot_xmax(pg_current_snapshot())
      order by a.transaction_id, a.id
      limit ${pageMax + 1}
    ) f on true
    order by f."transactionId", f."factId"`);
  return pageOf(rows);
}

function pageOf(rows: readonly Row[]): FactsPage {
  const found = rows.filter((row): row is Row & FactRow => row.factId !== null);
  const certain = found.filter(({ isCertain }) => isCertain);
  const facts = certain.slice(0, pageMax).map(factOf);
  const last = facts.at(-1);
  // The left join always returns a row.
  const { epoch: of, horizon } = rows[0] as Row;
  const hasMore = certain.length > pageMax;
  const end: Position =
    hasMore && last !== undefined
      ? { epoch: of, transactionId: last.transactionId, factId: last.id, part: 'notification' }
      : startOf(of, BigInt(horizon));
  return { facts, end, hasMore, isHeldBack: certain.length < found.length };
}

function factOf(row: FactRow): StreamFact {
  const { factId, type, ticketId, messageId, happenedAt, actorType, actorUserId, notifications } = row;
  return {
    id: factId,
    transactionId: BigInt(row.transactionId),
    type,
    ticketId,
    messageId,
    actor: { type: actorType, userId: actorUserId },
    createdAt: happenedAt,
    ticket: ticketId === null ? null : ticketOf({ ...row, id: ticketId }),
    data: row.data,
    notifications: notifications ?? [],
  };
}

/** Formats an instant as the API does. */
function jsonTime(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The start for a reader that wants everything from now on. */
export async function readNow(db: Queryable): Promise<Position> {
  const now = await db.one<{ epoch: string; horizon: string }>(sql`
    select ${epoch} as epoch, pg_snapshot_xmin(pg_current_snapshot()) as horizon`);
  return startOf(now.epoch, BigInt(now.horizon));
}

/** The start for a reader that wants everything from now on, and again what was recorded since a time. */
export async function readSince(db: Queryable, workspaceId: WorkspaceId, since: Date): Promise<Position> {
  // Compares numbers, so that the planner finds the facts by time in the primary key. With xid8 it would use the
  // stream's index to search for the workspace's smallest transaction id.
  const start = await db.one<{ epoch: string; horizon: string }>(sql`
    select ${epoch} as epoch, least(pg_snapshot_xmin(pg_current_snapshot())::text::numeric, (
      select min(a.transaction_id::text::numeric)
      from activity a
      where a.workspace_id = ${workspaceId} and a.id >= ${idAt(since)}::uuid
    ))::text as horizon`);
  return startOf(start.epoch, BigInt(start.horizon));
}

/**
 * Whether a reader of this history can have reached a position. Readers never get uncertain facts, so a valid position
 * is not in the future. Facts are never deleted, so the fact of a valid position exists.
 */
export async function isOfHistory(
  db: Queryable,
  workspaceId: WorkspaceId,
  { epoch: of, transactionId, factId }: Position,
): Promise<boolean> {
  const { isPossible } = await db.one<{ isPossible: boolean }>(sql`
    select ${of} = ${epoch} and ${String(transactionId)}::xid8 <= pg_snapshot_xmin(pg_current_snapshot())
      and (${factId === nilId} or exists (
        select from activity
        where workspace_id = ${workspaceId} and transaction_id = ${String(transactionId)}::xid8 and id = ${factId}
      )) as "isPossible"`);
  return isPossible;
}

type Reader = { workspaceId: WorkspaceId; head: Position };

/** Finds workspaces with facts after their reader's head, or all workspaces if the database's history has changed. */
export async function findNews(db: Queryable, readers: readonly Reader[]): Promise<WorkspaceId[]> {
  const heads = readers.map(({ head }) => head);
  const found = await db.rows<{ workspaceId: WorkspaceId }>(sql`
    select r.workspace_id as "workspaceId"
    from unnest(${readers.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${heads.map(({ transactionId }) => String(transactionId))}::xid8[], ${heads.map(({ factId }) => factId)}::uuid[],
      ${heads.map((head) => head.epoch)}::text[]) r (workspace_id, transaction_id, fact_id, epoch)
    cross join (select ${epoch} as epoch) s
    where r.epoch <> s.epoch or exists (
      select from activity a
      where a.workspace_id = r.workspace_id and (a.transaction_id, a.id) > (r.transaction_id, r.fact_id)
        and a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()))`);
  return found.map(({ workspaceId }) => workspaceId);
}

/**
 * Identifies the database's history by server, timeline and database. A recovery or a standby's promotion changes the
 * timeline. The value is hashed, because clients see it.
 */
const epoch: Sql = sql`left(md5(concat_ws(' ',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()))), 12)`;
