import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, limitTo, plannedAnew, quick, type Sql, sql } from '../../ground/database/sql.ts';
import { wantedWords } from '../../ground/lib/search-query.ts';
import {
  type ListedTicketRow,
  listedTicketOf,
  memberColumns,
  ticketColumns,
  unreadJoin,
} from '../../helpdesk/tickets/queries.ts';
import type { ListedTicket } from '../../helpdesk/tickets/schema.ts';
import { conditionsOf } from './filters.ts';
import { behind, countMax, cursorAfter, type Order, orderBy, type Sort, type TicketPage } from './list-page.ts';
import { matchesIn } from './matches.ts';
import type { ListTicketsQuery } from './schema.ts';
import { matchesSearch, searchRanked } from './search.ts';

/** Lists one page of tickets in one statement: ranked for a search without a sort, else by the sort key. */
export async function listTickets(
  db: Queryable,
  actor: Actor,
  query: ListTicketsQuery,
  now: Date,
): Promise<TicketPage> {
  const { search } = query;
  if (search === undefined) return listByKey(db, actor, query, await conditionsOf(db, actor, query, now));
  const page =
    query.sort === undefined
      ? await searchRanked(db, actor, query, await conditionsOf(db, actor, query, now), now)
      : await listByKey(db, actor, query, await allConditionsOf(db, actor, query, now));
  const wanted = wantedWords(search);
  const marked = (ticket: ListedTicket): ListedTicket => ({
    ...ticket,
    matches: matchesIn([ticket.subject, ticket.lastMessage?.snippet ?? ''], wanted),
  });
  return { ...page, tickets: page.tickets.map(marked) };
}

/** Every filter and the search as conditions on `t`, the workspace first. */
export async function allConditionsOf(db: Queryable, actor: Actor, query: ListTicketsQuery, now: Date): Promise<Sql[]> {
  const conditions = await conditionsOf(db, actor, query, now);
  if (query.search !== undefined) conditions.push(matchesSearch(actor.workspaceId, query.search));
  return conditions;
}

async function listByKey(db: Queryable, actor: Actor, query: ListTicketsQuery, conditions: Sql[]): Promise<TicketPage> {
  const { workspaceId } = actor;
  const sort: Sort = query.sort ?? 'lastMessageAt';
  const order: Order = query.order ?? 'desc';
  const limit = query.limit ?? 100;
  const where = joinSql(conditions, ' and ');
  const page = query.cursor === undefined ? where : sql`${where} and ${behind(query.cursor, sort, order)}`;
  const isCounted = query.count !== false && query.cursor === undefined;
  const total = isCounted
    ? sql`, (select count(*) from (select 1 from tickets t where ${where} limit ${countMax + 1}) counted) as total`
    : sql``;
  // One row more than requested shows whether there is a next page.
  const statement = sql`
    select ${ticketColumns(actor)}, ${memberColumns(actor)}${total}
    from (
      select t.* from tickets t where ${page} order by ${orderBy(sort, order)}
      ${limitTo(limit + 1)}${query.offset ? sql` offset ${query.offset}` : sql``}
    ) t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    ${unreadJoin(actor)}
    order by ${orderBy(sort, order)}`;
  const rows = await db.rows<ListedTicketRow & { total?: number }>(inItsManner(statement, query));
  const tickets = rows.slice(0, limit).map(listedTicketOf);
  const last = tickets.at(-1);
  return {
    tickets,
    total: isCounted ? totalOf(rows[0]?.total ?? (await countBehindEnd(db, where, query))) : undefined,
    nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last, sort, order) : undefined,
  };
}

/** Marks as quick only statements that an index serves from its first row. An offset may skip any number of rows. */
function inItsManner(statement: Sql, query: ListTicketsQuery): Sql {
  if (!isServedByOrder(query)) return plannedAnew(statement);
  return query.offset ? statement : quick(statement);
}

/** With only these filters an index yields the rows in page order for any values, so one plan suits all of them. */
const servedByOrder: ReadonlySet<string> = new Set(
  'status assignee archived sort order limit offset cursor count'.split(' '),
);

function isServedByOrder(query: ListTicketsQuery): boolean {
  const { archived = 'false', assignee = [] } = query;
  const isPlain = Object.entries(query).every(([name, value]) => value === undefined || servedByOrder.has(name));
  return isPlain && archived === 'false' && assignee.length < 2;
}

function totalOf(counted: number): TicketPage['total'] {
  return { count: Math.min(counted, countMax), isExact: counted <= countMax };
}

/** Counts when a page past the end has no row that carries the total. */
async function countBehindEnd(db: Queryable, where: Sql, { offset = 0 }: ListTicketsQuery): Promise<number> {
  if (offset === 0) return 0;
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from (select 1 from tickets t where ${where} limit ${countMax + 1}) counted`,
  );
  return total;
}
