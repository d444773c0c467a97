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
 * Where at least so many of the newest messages match, the newest thousand matches are found by going through the messages from the
 * newest on; else by the index of words, which gathers all of them first. PostgreSQL's own guess does not know that a word is one of
 * its workspace alone, and is too low by as many times as the workspace is smaller than all together.
 */
const sampled = { messages: 100, commonMin: 12 } as const;

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
  const rows = await db.rows<TicketRow & { score: number; total: number; isCut: boolean }>(
    plannedAnew(sql`
    with matches as (${await matchesOf(db, { workspaceId, words, direct: directOf(search), where, at })}),
    scored as (
      select ticket_id, max(score) as score from matches group by ticket_id
      order by max(score) desc, ticket_id desc limit ${rankedMax}
    )
    select ${ticketColumns}, s.score, (select count(*) from scored) as total,
      (select count(*) >= ${rankedMax} from matches) as "isCut"
    from scored s
    join tickets t on t.workspace_id = ${workspaceId} and t.id = s.ticket_id
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    ${position === undefined ? sql`` : sql`where (s.score, s.ticket_id) < (${position.score}::float8, ${position.id}::uuid)`}
    order by s.score desc, s.ticket_id desc
    limit ${limit + 1} offset ${query.offset ?? 0}`),
  );
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

type Searching = {
  workspaceId: WorkspaceId;
  words: SearchQuery | undefined;
  direct: Direct;
  /** The filters of the list, on `t`. */
  where: Sql;
  at: string;
};

async function matchesOf(db: Queryable, { workspaceId, words, direct, where, at }: Searching): Promise<Sql> {
  const isNamed = direct.ticketNumber !== null || direct.mailIdKey !== null;
  // A ticket that is asked for by its number or by a Message-ID comes before every word.
  const named = sql`
    select t.id as ticket_id, 1000::float8 as score from tickets t where ${where} and t.id in (${directIds(workspaceId, direct)})`;
  if (words === undefined) return named;
  // Ranked behind the cut: before it every match would be. An extract would be numeric, whose exp takes longer than all else.
  const ranked = (newest: Sql): Sql => sql`
    select ticket_id, (
        ts_rank('{0.1, 0.2, 0.4, 1.0}', search, ${words.wanted}::tsquery)
        * (0.7 + 0.3 * exp(-greatest(date_part('epoch', ${at}::timestamptz - at), 0) / 7776000))
      )::float8 as score
    from (${newest} limit ${rankedMax}) newest`;
  const match = (await areCommon(db, workspaceId, words, at))
    ? matchesUnindexed(sql`m.search`, words)
    : sql`m.search @@ ${words.wanted}::tsquery`;
  const newestMessages = sql`
    select m.ticket_id, m.search, m.created_at as at
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and ${match} and m.created_at <= ${at}::timestamptz and ${where}
    order by m.created_at desc`;
  const newestTickets = sql`
    select t.id as ticket_id, t.search, t.last_message_at as at
    from tickets t
    where ${where} and t.search @@ ${words.wanted}::tsquery and t.created_at <= ${at}::timestamptz
    order by t.last_message_at desc`;
  const found = sql`${ranked(newestMessages)} union all ${ranked(newestTickets)}`;
  // Not where there is nobody to find: to plan a statement takes longer than to find no word.
  return isNamed ? sql`${found} union all ${named}` : found;
}

async function areCommon(db: Queryable, workspaceId: WorkspaceId, words: SearchQuery, at: string): Promise<boolean> {
  const { isCommon } = await db.one<{ isCommon: boolean }>(
    quick(sql`
    select count(*) filter (where ${matchesUnindexed(sql`m.search`, words)}) >= ${sampled.commonMin} as "isCommon"
    from (
      select m.search
      from messages m
      where m.workspace_id = ${workspaceId} and m.created_at <= ${at}::timestamptz
      order by m.created_at desc
      limit ${sampled.messages}
    ) m`),
  );
  return isCommon;
}

/** `@@` by the function behind it, for which PostgreSQL looks into no index and supposes that each third row matches. */
function matchesUnindexed(vector: Sql, { wanted }: SearchQuery): Sql {
  return sql`ts_match_vq(${vector}, ${wanted}::tsquery)`;
}

function positionOf(cursor: string): Position {
  const position = decodeCursor(cursor) as Partial<Position> | null | undefined;
  const { at, score, id } = position ?? {};
  if (!isTimestamp(at)) throw badCursor();
  if (typeof score !== 'number' || typeof id !== 'string' || !isUuid(id)) throw badCursor();
  return { at, score, id };
}
