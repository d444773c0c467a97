import { badCursor, decodeCursor, encodeCursor } from '../lib/cursor.ts';
import { isUuid, type WorkspaceId } from '../lib/ids.ts';
import { type SearchQuery, searchQuery } from '../lib/search-query.ts';
import type { Queryable } from '../platform/db.ts';
import { joinSql, plannedAnew, quick, type Sql, sql } from '../platform/sql.ts';
import { isTimestamp, type TicketPage } from './list-page.ts';
import { mailIdKey } from './mail-ids.ts';
import { type TicketRow, ticketColumns, ticketOf } from './queries.ts';
import type { ListTicketsQuery } from './schema.ts';

/**
 * Ranking every match of a common word takes a third of a second at a million messages, ranking the newest thousand 3 ms:
 * so those are ranked.
 */
const rankedMax = 1_000;
/**
 * Where at least so many of the newest messages match, the newest thousand matches are looked for among the messages from the
 * newest on, in as many as hold a thousand at that rate; else by the index of words, which gathers all matches first. PostgreSQL's own
 * guess does not know that a word is one of its workspace alone, and is too low by as many times as the workspace is smaller than
 * all together.
 */
const sampled = { messages: 100, commonMin: 12 } as const;
const walkedMax = 10_000;

/** What a search asks for beside words: a ticket's number, or the ticket of a Message-ID. */
type Direct = { ticketNumber: number | null; mailIdKey: string | null };

function directOf(search: string): Direct {
  const typed = search.trim();
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1];
  const messageId = /^(?:<([^<>\s]{1,998})>|([^<>\s"@]{1,900}@[^<>\s"@]{1,255}))$/.exec(typed);
  const typedId = messageId?.[1] ?? messageId?.[2];
  return {
    ticketNumber: number === undefined ? null : Number(number),
    mailIdKey: typedId === undefined ? null : mailIdKey(typedId),
  };
}

/**
 * Ids of the tickets that a number or a Message-ID names directly, and of those that they were merged into in turn: a merged
 * ticket's number finds the survivor, as a merged one is not listed by itself.
 */
function directIds(workspaceId: WorkspaceId, { ticketNumber, mailIdKey: key }: Direct): Sql {
  if (ticketNumber === null && key === null) return sql`select null::uuid where false`;
  return sql`
    with recursive direct (id) as (
      (
        select d.id from tickets d where d.workspace_id = ${workspaceId} and d.ticket_number = ${ticketNumber}::integer
        union all
        select coalesce((
            select x.ticket_id from messages x where x.workspace_id = ${workspaceId} and x.id = i.message_id
          ), i.ticket_id)
        from mail_ids i where i.workspace_id = ${workspaceId} and i.rfc_message_id = ${key}::text
      )
      union
      select g.target_id
      from direct h
      join ticket_merges g on g.workspace_id = ${workspaceId} and g.source_id = h.id
    )
    select id from direct`;
}

/** A search for `#123` means that ticket alone; `123` may be a word as well. */
function wordsOf(workspaceId: WorkspaceId, search: string): SearchQuery | undefined {
  return /^\s*#\d{1,9}\s*$/.test(search) ? undefined : searchQuery(workspaceId, search);
}

/** The condition that neither `t` nor a message of it has what the search excludes. */
function isNotExcluded(workspaceId: WorkspaceId, words: SearchQuery | undefined): Sql {
  if (words?.excluded === undefined) return sql`true`;
  return sql`not t.search @@ ${words.excluded}::tsquery and not exists (
    select 1 from messages x
    where x.workspace_id = ${workspaceId} and x.ticket_id = t.id and x.search @@ ${words.excluded}::tsquery
  )`;
}

/** The condition that `t` is found by the search, for lists in an order of the caller's. */
export function matchesSearch(workspaceId: WorkspaceId, search: string): Sql {
  const words = wordsOf(workspaceId, search);
  const found = directIds(workspaceId, directOf(search));
  if (words === undefined) return sql`t.id in (${found})`;
  return sql`${isNotExcluded(workspaceId, words)} and t.id in (
    select m.ticket_id from messages m where m.workspace_id = ${workspaceId} and m.search @@ ${words.wanted}::tsquery
    union
    select s.id from tickets s where s.workspace_id = ${workspaceId} and s.search @@ ${words.wanted}::tsquery
    union
    (${found})
  )`;
}

type Position = { at: string; score: number; id: string };

/**
 * The best matches first: subject over people over text, with mild recency, among the newest matches of messages and of
 * tickets. The instant that recency counts from travels in the cursor, so that a page's order does not shift under its reader.
 */
export async function searchRanked(
  db: Queryable,
  workspaceId: WorkspaceId,
  query: ListTicketsQuery,
  filters: readonly Sql[],
  now: Date,
): Promise<TicketPage> {
  const search = query.search ?? '';
  const limit = query.limit ?? 100;
  const position = query.cursor === undefined ? undefined : positionOf(query.cursor);
  const at = position?.at ?? now.toISOString();
  const words = wordsOf(workspaceId, search);
  const where = joinSql([...filters, isNotExcluded(workspaceId, words)], ' and ');
  const isCounted = query.count !== false && position === undefined;
  const direct = directOf(search);
  const rows = await findMatches(db, { workspaceId, words, at }, (match) => {
    const matches = matchesOf(match, { workspaceId, words, direct, where, at });
    return sql`
      with matches as (${matches}),
      scored as (
        select ticket_id, max(score) as score from matches group by ticket_id
        order by max(score) desc, ticket_id desc limit ${rankedMax}
      )
      select ${ticketColumns}, s.score, (select count(*) from scored) as total,
        (select count(*) >= ${rankedMax} from matches) as "isCut",
        (select count(*) from matches where is_message) as "messageCount"
      from scored s
      join tickets t on t.workspace_id = ${workspaceId} and t.id = s.ticket_id
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      ${position === undefined ? sql`` : sql`where (s.score, s.ticket_id) < (${position.score}::float8, ${position.id}::uuid)`}
      order by s.score desc, s.ticket_id desc
      limit ${limit + 1} offset ${query.offset ?? 0}`;
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  // A page past the end has no row to carry the total.
  const totalOf = async (row: { total: number; isCut: boolean } | undefined) => {
    if (row !== undefined) return { count: row.total, isExact: !row.isCut };
    if ((query.offset ?? 0) === 0) return { count: 0, isExact: true };
    return (await searchRanked(db, workspaceId, { ...query, offset: 0, limit: 1 }, filters, now)).total;
  };
  return {
    tickets: page.map(ticketOf),
    total: isCounted ? await totalOf(rows[0]) : undefined,
    nextCursor:
      rows.length > limit && last !== undefined
        ? encodeCursor({ at, score: last.score, id: last.id } satisfies Position)
        : undefined,
  };
}

type Found = TicketRow & { score: number; total: number; isCut: boolean; messageCount: number };

type Searching = {
  workspaceId: WorkspaceId;
  words: SearchQuery | undefined;
  at: string;
};

/** Where messages that match are looked for: among the newest, or in all by the index of words. */
type Matching = 'among newest' | 'by index';

/** Runs the search in the way that is quick for it. Both find the same: where the newest are too few, all are looked for. */
async function findMatches(db: Queryable, searching: Searching, statement: (match: Matching) => Sql): Promise<Found[]> {
  const find = (match: Matching): Promise<Found[]> => db.rows<Found>(plannedAnew(statement(match)));
  if (!(await areCommon(db, searching))) return find('by index');
  const rows = await find('among newest');
  const isEnough = (rows[0]?.messageCount ?? 0) >= rankedMax;
  return isEnough || !(await hasOlder(db, searching)) ? rows : find('by index');
}

/** Whether many of the newest messages match. */
async function areCommon(db: Queryable, { workspaceId, words, at }: Searching): Promise<boolean> {
  if (words === undefined) return false;
  const { isCommon } = await db.one<{ isCommon: boolean }>(
    quick(sql`
    select count(*) filter (where m.search @@ ${words.wanted}::tsquery) >= ${sampled.commonMin} as "isCommon"
    from (${messagesOf(workspaceId, at)} order by m.created_at desc limit ${sampled.messages}) m`),
  );
  return isCommon;
}

/** Whether there are messages older than those that were gone through. */
async function hasOlder(db: Queryable, { workspaceId, at }: Searching): Promise<boolean> {
  const { isThere } = await db.one<{ isThere: boolean }>(sql`
    select exists (
      ${messagesOf(workspaceId, at)} order by m.created_at desc offset ${walkedMax} limit 1
    ) as "isThere"`);
  return isThere;
}

function messagesOf(workspaceId: WorkspaceId, at: string): Sql {
  return sql`
    select m.ticket_id, m.search, m.created_at
    from messages m
    where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz`;
}

type Asked = Searching & {
  direct: Direct;
  /** The filters of the list, on `t`. */
  where: Sql;
};

function matchesOf(match: Matching, { workspaceId, words, at, direct, where }: Asked): Sql {
  // A ticket that is asked for by its number or by a Message-ID comes before every word.
  const named = sql`
    select t.id as ticket_id, 1000::float8 as score, false as is_message
    from tickets t where ${where} and t.id in (${directIds(workspaceId, direct)})`;
  if (words === undefined) return named;
  // Ranked behind the cut: before it every match would be. An extract would be numeric, whose exp takes longer than all else; that of
  // a float is a fault where it is nearly none.
  const ranked = (newest: Sql, isMessage: boolean): Sql => sql`
    select ticket_id, (
        ts_rank('{0.1, 0.2, 0.4, 1.0}', search, ${words.wanted}::tsquery)
        * (0.7 + 0.3 * exp(-least(greatest(date_part('epoch', ${at}::timestamptz - at) / 7776000, 0), 700)))
      )::float8 as score, ${isMessage}::boolean as is_message
    from (${newest} limit ${rankedMax}) newest`;
  const messages = messagesOf(workspaceId, at);
  const looked = match === 'by index' ? messages : sql`${messages} order by m.created_at desc limit ${walkedMax}`;
  const newestMessages = sql`
    select m.ticket_id, m.search, m.created_at as at
    from (${looked}) m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.search @@ ${words.wanted}::tsquery and ${where}
    order by m.created_at desc`;
  const newestTickets = sql`
    select t.id as ticket_id, t.search, t.last_message_at as at
    from tickets t
    where ${where} and t.search @@ ${words.wanted}::tsquery and t.created_at <= ${at}::timestamptz
    order by t.last_message_at desc`;
  const found = sql`${ranked(newestMessages, true)} union all ${ranked(newestTickets, false)}`;
  // Not where there is nobody to find: to plan a statement takes longer than to find no word.
  const isNamed = direct.ticketNumber !== null || direct.mailIdKey !== null;
  return isNamed ? sql`${found} union all ${named}` : found;
}

function positionOf(cursor: string): Position {
  const position = decodeCursor(cursor) as Partial<Position> | null | undefined;
  const { at, score, id } = position ?? {};
  if (!isTimestamp(at)) throw badCursor();
  if (typeof score !== 'number' || typeof id !== 'string' || !isUuid(id)) throw badCursor();
  return { at, score, id };
}
