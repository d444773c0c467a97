import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, joinSql, plannedAnew, quick, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime } from '../../ground/lib/cursor.ts';
import { isUuid, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { type SearchQuery, searchQuery } from '../../ground/lib/search-query.ts';
import { mailIdKey } from '../../helpdesk/messages/mail-ids.ts';
import { messageWords, wordsOfMessage } from '../../helpdesk/messages/words.ts';
import {
  type ListedTicketRow,
  listedTicketOf,
  memberColumns,
  ticketColumns,
  unreadJoin,
} from '../../helpdesk/tickets/queries.ts';
import type { ListedTicket } from '../../helpdesk/tickets/schema.ts';
import type { TicketPage } from './list-page.ts';
import type { ListTicketsQuery } from './schema.ts';
import { findMatches, type MatchCounts, rankedMax, type Searching, type Way, ways } from './search-ways.ts';

/** The ticket's number or the Message-ID that a search names directly. */
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
 * Ids of the tickets that a number or a Message-ID names, and of the tickets that they were merged into.
 * The number of a merged ticket thereby finds the survivor; a list shows no merged tickets.
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

/** A search for `#123` means only that ticket. `123` may also be a word. */
function wordsOf(workspaceId: WorkspaceId, search: string): SearchQuery | undefined {
  return /^\s*#\d{1,9}\s*$/.test(search) ? undefined : searchQuery(workspaceId, search);
}

/** The condition that neither `t` nor any of its messages has an excluded word. */
function isNotExcluded(workspaceId: WorkspaceId, words: SearchQuery | undefined): Sql {
  if (words?.excluded === undefined) return sql`true`;
  // The offset keeps PostgreSQL from a join with the words of all messages.
  return sql`not t.search @@ ${words.excluded}::tsquery and not exists (
    select from messages x
    cross join lateral ${wordsOfMessage(workspaceId, sql`x.id`)} w
    where x.workspace_id = ${workspaceId} and x.ticket_id = t.id and w.search @@ ${words.excluded}::tsquery
    offset 0
  )`;
}

/** The condition that `t` matches the search, for lists with an explicit sort. */
export function matchesSearch(workspaceId: WorkspaceId, search: string): Sql {
  const words = wordsOf(workspaceId, search);
  const found = directIds(workspaceId, directOf(search));
  if (words === undefined) return sql`t.id in (${found})`;
  return sql`${isNotExcluded(workspaceId, words)} and t.id in (
    select m.ticket_id
    from ${messageWords(workspaceId)} w
    join messages m on m.workspace_id = ${workspaceId} and m.id = w.message_id
    where w.search @@ ${words.wanted}::tsquery
    union
    select s.id from tickets s where s.workspace_id = ${workspaceId} and s.search @@ ${words.wanted}::tsquery
    union
    (${found})
  )`;
}

type SearchPosition = { at: string; score: number; id: string; way: Way };

/**
 * Lists the best matches first: subject over people over text, with mild recency.
 * Ranks only the newest matches of messages and tickets.
 * The cursor carries the instant that recency counts from, so that a page's order does not shift under its reader.
 */
export async function searchRanked(
  db: Queryable,
  actor: Actor,
  query: ListTicketsQuery,
  filters: readonly Sql[],
  now: Date,
): Promise<TicketPage> {
  const { workspaceId } = actor;
  const search = query.search ?? '';
  const limit = query.limit ?? 100;
  const position = query.cursor === undefined ? undefined : positionOf(query.cursor);
  const at = position?.at ?? now.toISOString();
  const words = wordsOf(workspaceId, search);
  const where = joinSql([...filters, isNotExcluded(workspaceId, words)], ' and ');
  const isCounted = query.count !== false && position === undefined;
  const named = namedMatches(workspaceId, directOf(search), where);
  const searching = words && { workspaceId, words, at, where };
  const rankedPage = (matches: Sql, gathered?: Sql): Sql =>
    pageOf({ matches, gathered }, { position, limit, offset: query.offset ?? 0 });
  const { rows, way } =
    searching === undefined
      ? { rows: await db.rows<FoundRow>(plannedAnew(rankedPage(named ?? noMatches))), way: 'index all' as const }
      : await findMatches<FoundRow>(db, searching, position?.way, ({ messages, gathered }) =>
          rankedPage(matchesOf({ ...searching, messages, named }), gathered),
        );
  const found = rows.filter((row) => row.id !== null);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  // `index whole` misses messages in which a longer word begins with the last word of the search.
  const isExact = rows[0]?.isCut !== true && way !== 'index whole';
  const total = isCounted ? { count: rows[0]?.total ?? 0, isExact } : undefined;
  return {
    tickets: await readPage(db, actor, page),
    total,
    nextCursor:
      found.length > limit && last !== undefined
        ? encodeCursor({ at, score: last.score, id: last.id, way } satisfies SearchPosition)
        : undefined,
  };
}

/** Each row repeats the totals of all matches. A page without tickets has one row whose other columns are null. */
type FoundRow = MatchCounts & { isCut: boolean } & (Found | { id: null; score: null });
type Found = { id: TicketId; score: number };

/**
 * Reads the tickets of a page, in its order. A statement of its own: the search is planned anew each time, and planning
 * these columns with it takes longer than reading them.
 */
async function readPage(db: Queryable, actor: Actor, page: readonly Found[]): Promise<ListedTicket[]> {
  if (page.length === 0) return [];
  const { workspaceId } = actor;
  const rows = await db.rows<ListedTicketRow>(
    quick(sql`
    select ${ticketColumns(actor)}, ${memberColumns(actor)}
    from unnest(${page.map(({ id }) => id)}::uuid[]) with ordinality p (id, place)
    join tickets t on t.workspace_id = ${workspaceId} and t.id = p.id and ${visible(actor, 't')}
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    ${unreadJoin(actor)}
    order by p.place`),
  );
  return rows.map(listedTicketOf);
}

type Page = { position: SearchPosition | undefined; limit: number; offset: number };

type Matches = { matches: Sql; gathered: Sql | undefined };

function pageOf({ matches, gathered }: Matches, { position, limit, offset }: Page): Sql {
  const after =
    position === undefined
      ? emptySql
      : sql`where (s.score, s.ticket_id) < (${position.score}::float8, ${position.id}::uuid)`;
  return sql`
    with ${gathered === undefined ? emptySql : sql`gathered as materialized (${gathered}),`} matches as (${matches}),
    scored as (
      select ticket_id, max(score) as score from matches group by ticket_id
      order by max(score) desc, ticket_id desc limit ${rankedMax}
    )
    select p.*, a.*
    from (
      select (select count(*) from scored) as total, count(*) >= ${rankedMax} as "isCut",
        count(*) filter (where is_message) as "matchingMessages",
        ${gathered === undefined ? sql`0` : sql`(select count(*) from gathered)`} as "gatheredMessages"
      from matches
    ) a
    left join (
      select s.ticket_id as id, s.score
      from scored s
      ${after}
      order by s.score desc, s.ticket_id desc
      limit ${limit + 1} offset ${offset}
    ) p on true
    order by p.score desc, p.id desc`;
}

const noMatches = sql`select null::uuid as ticket_id, 0::float8 as score, false as is_message where false`;

/**
 * A ticket named by its number or a Message-ID ranks before every word.
 * Undefined if the search names none, because planning the statement takes longer than finding no word.
 */
function namedMatches(workspaceId: WorkspaceId, direct: Direct, where: Sql): Sql | undefined {
  if (direct.ticketNumber === null && direct.mailIdKey === null) return undefined;
  return sql`
    select t.id as ticket_id, 1000::float8 as score, false as is_message
    from tickets t where ${where} and t.id in (${directIds(workspaceId, direct)})`;
}

type MatchesOf = Searching & { messages: Sql; named: Sql | undefined };

function matchesOf({ words, at, where, messages, named }: MatchesOf): Sql {
  // Ranks after the cut; before it, every match would be ranked.
  // Uses `date_part`: `extract` would be numeric, whose `exp` takes longer than all the rest.
  // The float `exp` fails on underflow, so `least` bounds its argument.
  const ranked = (newest: Sql, isMessage: boolean): Sql => sql`
    select ticket_id, (
        ts_rank('{0.1, 0.2, 0.4, 1.0}', search, ${words.wanted}::tsquery)
        * (0.7 + 0.3 * exp(-least(greatest(date_part('epoch', ${at}::timestamptz - at) / 7776000, 0), 700)))
      )::float8 as score, ${isMessage}::boolean as is_message
    from (${newest}) newest`;
  const tickets = sql`
    select t.id as ticket_id, t.search, t.last_message_at as at
    from tickets t
    where ${where} and t.search @@ ${words.wanted}::tsquery and t.created_at <= ${at}::timestamptz
    order by t.last_message_at desc
    limit ${rankedMax}`;
  const found = sql`${ranked(messages, true)} union all ${ranked(tickets, false)}`;
  return named === undefined ? found : sql`${found} union all ${named}`;
}

function positionOf(cursor: string): SearchPosition {
  const position = decodeCursor(cursor) as Partial<SearchPosition> | null | undefined;
  const { at, score, id, way } = position ?? {};
  if (!isCursorTime(at)) throw badCursor();
  if (typeof score !== 'number' || typeof id !== 'string' || !isUuid(id)) throw badCursor();
  if (way === undefined || !ways.includes(way)) throw badCursor();
  return { at, score, id, way };
}
