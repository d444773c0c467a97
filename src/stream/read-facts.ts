import type { EventType } from '../catalog/events.ts';
import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { idAt, type MessageId, nilId, type TicketId, type UserId, type WorkspaceId } from '../lib/ids.ts';
import type { Notification } from '../notifications/schema.ts';
import { type TicketRow, ticketColumns, ticketOf } from '../tickets/queries.ts';
import type { Ticket } from '../tickets/schema.ts';
import { type Position, startOf } from './position.ts';

/** A fact, with the ticket's present state as lists show it, or with the data of a fact about a mailbox. */
export type StreamFact = {
  id: string;
  transactionId: bigint;
  type: EventType;
  ticketId: TicketId | null;
  messageId: MessageId | null;
  actor: { type: 'customer' | 'agent' | 'system'; userId: UserId | null };
  createdAt: string;
  ticket: Ticket | null;
  /** Null for facts of tickets, whose data may contain texts. */
  data: object | null;
  notifications: StreamNotification[];
};
type StreamNotification = Notification & { userId: UserId };

export type FactsPage = {
  facts: StreamFact[];
  /** Up to here everything was read; of the epoch that the database is at, which need not be the one asked from. */
  end: Position;
  hasMore: boolean;
  /** There are facts whose place is not certain yet, because an older transaction is still under way. */
  isHeldBack: boolean;
};

const pageMax = 100;

type Found = Pick<StreamFact, 'type' | 'ticketId' | 'messageId' | 'data'> &
  Omit<TicketRow, 'id'> & {
    factId: string;
    happenedAt: string;
    transactionId: string;
    isCertain: boolean;
    actorType: StreamFact['actor']['type'];
    actorUserId: UserId | null;
    notifications: StreamNotification[] | null;
  };
/** Where nothing happened there is one row, without a fact. */
type Row = { epoch: string; horizon: string } & (Found | { factId: null });

/**
 * The facts of a workspace behind a position, in an order in which none can come in between any more. Ids, of rows and of
 * transactions, are given before the commit: so only what was written by transactions older than all that are under way is
 * certain. What claims to be of a transaction that is still to come was brought by a restore, and is passed over.
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
        a.data ->> 'messageId' as "messageId", case when a.ticket_id is null then a.data end as data, a.actor_type as "actorType", a.actor_user_id as "actorUserId",
        a.created_at as "happenedAt", a.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) as "isCertain",
        ${ticketColumns},
        (
          select json_agg(json_build_object('id', n.id, 'userId', n.user_id, 'type', n.type, 'referenceId', n.reference_id,
            'messageId', n.message_id, 'actorId', n.actor_id, 'title', n.title, 'count', n.count,
            'readAt', ${jsonTime(sql`n.read_at`)}, 'createdAt', ${jsonTime(sql`n.created_at`)}))
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
  const found = rows.filter((row): row is Row & Found => row.factId !== null);
  const certain = found.filter(({ isCertain }) => isCertain);
  const facts = certain.slice(0, pageMax).map(factOf);
  const last = facts.at(-1);
  // There is a row at any rate.
  const { epoch: of, horizon } = rows[0] as Row;
  const hasMore = certain.length > pageMax;
  const end: Position =
    hasMore && last !== undefined
      ? { epoch: of, transactionId: last.transactionId, factId: last.id, part: 'notification' }
      : startOf(of, BigInt(horizon));
  return { facts, end, hasMore, isHeldBack: certain.length < found.length };
}

function factOf(row: Found): StreamFact {
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

/** As the API writes instants. */
function jsonTime(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Where a reader begins who wants what happens from now on. */
export async function readNow(db: Queryable): Promise<Position> {
  const now = await db.one<{ epoch: string; horizon: string }>(sql`
    select ${epoch} as epoch, pg_snapshot_xmin(pg_current_snapshot()) as horizon`);
  return startOf(now.epoch, BigInt(now.horizon));
}

/** Where a reader begins who wants what happens from now on, and what was recorded since a time once more. */
export async function readSince(db: Queryable, workspaceId: WorkspaceId, since: Date): Promise<Position> {
  // As numbers, so that the primary key finds the facts by their time, and not the index of the stream the first one of all.
  const start = await db.one<{ epoch: string; horizon: string }>(sql`
    select ${epoch} as epoch, least(pg_snapshot_xmin(pg_current_snapshot())::text::numeric, (
      select min(a.transaction_id::text::numeric)
      from activity a
      where a.workspace_id = ${workspaceId} and a.id >= ${idAt(since)}::uuid
    ))::text as horizon`);
  return startOf(start.epoch, BigInt(start.horizon));
}

/** Whether readers of this history can have come to a position: none is told of what is uncertain yet, and no fact goes away. */
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

/** Which workspaces have facts behind what their readers have read; all of them where the database's history is another one. */
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
 * The history that this database is at: its server's, on the timeline that a recovery or a standby's promotion begins, and
 * its own among the databases there. Hashed, for clients see it.
 */
const epoch: Sql = sql`left(md5(concat_ws(' ',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()))), 12)`;
