import type { Actor } from '../catalog/actor.ts';
import { findContactIds } from '../contacts/queries.ts';
import { invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import type { Queryable } from '../platform/db.ts';
import { joinSql, limitTo, plannedAnew, quick, type Sql, sql } from '../platform/sql.ts';
import { ticketIdsOf } from './contact-tickets.ts';
import { behind, countMax, cursorAfter, type Order, orderBy, type Sort, type TicketPage } from './list-page.ts';
import type { DeliveryStatus } from './message-schema.ts';
import { priorityKey, rankOfPriority } from './priority.ts';
import { type ListedTicketRow, listedTicketOf, memberColumns, ticketColumns } from './queries.ts';
import type { ListTicketsQuery } from './schema.ts';
import { matchesSearch, searchRanked } from './search.ts';

/** A page of the workspace's tickets in one statement: ranked where there is a search and no sort, else by key. */
export async function listTickets(
  db: Queryable,
  actor: Actor,
  query: ListTicketsQuery,
  now: Date,
): Promise<TicketPage> {
  const conditions = filtersOf(actor, query, now);
  if (query.contact !== undefined) {
    const contactIds = await findContactIds(db, actor.workspaceId, query.contact);
    conditions.push(sql`t.id in (${ticketIdsOf(actor.workspaceId, contactIds)})`);
  }
  if (query.search !== undefined && query.sort === undefined) return searchRanked(db, actor, query, conditions, now);
  if (query.search !== undefined) conditions.push(matchesSearch(actor.workspaceId, query.search));
  return listByKey(db, actor, query, conditions);
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
  // One row more than asked for tells whether there is a next page.
  const statement = sql`
    select ${ticketColumns}, ${memberColumns(actor)}${total}
    from (
      select t.* from tickets t where ${page} order by ${orderBy(sort, order)}
      ${limitTo(limit + 1)}${query.offset ? sql` offset ${query.offset}` : sql``}
    ) t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
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

/** Only what an index serves from its first row on is quick: an offset passes over any number of them. */
function inItsManner(statement: Sql, query: ListTicketsQuery): Sql {
  if (!isServedByOrder(query)) return plannedAnew(statement);
  return query.offset ? statement : quick(statement);
}

/** Whether an index has the rows in the order of the page whatever the values are, so that one plan is best for all of them. */
function isServedByOrder({ tags, search, contact, delivery, snoozed, priority, archived = 'false' }: ListTicketsQuery) {
  return (
    [tags, search, contact, delivery, snoozed, priority].every((filter) => filter === undefined) && archived === 'false'
  );
}

function totalOf(counted: number): TicketPage['total'] {
  return { count: Math.min(counted, countMax), isExact: counted <= countMax };
}

/** A page past the end has no row to carry the total. */
async function countBehindEnd(db: Queryable, where: Sql, { offset = 0 }: ListTicketsQuery): Promise<number> {
  if (offset === 0) return 0;
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from (select 1 from tickets t where ${where} limit ${countMax + 1}) counted`,
  );
  return total;
}

/** Every filter as a condition on `t`, the workspace first. */
function filtersOf({ workspaceId, userId }: Actor, query: ListTicketsQuery, now: Date): Sql[] {
  const conditions = [sql`t.workspace_id = ${workspaceId}`];
  const { status, archived = 'false', priority, tags } = query;
  if (archived === 'false') conditions.push(sql`t.archived_at is null`);
  if (archived === 'true') conditions.push(sql`t.archived_at is not null`);
  if (archived !== 'any' && !status?.includes('closed')) conditions.push(sql`t.merged_into_id is null`);
  if (status !== undefined) {
    conditions.push(status.length === 1 ? sql`t.status = ${status[0]}` : sql`t.status = any(${status}::text[])`);
  }
  if (query.snoozed === true) conditions.push(sql`t.snoozed_until > ${now}`);
  else if (query.snoozed === false || query.search === undefined) {
    conditions.push(sql`(t.snoozed_until is null or t.snoozed_until <= ${now})`);
  }
  if (query.assignee !== undefined) conditions.push(assigneeIs(query.assignee, userId));
  if (priority !== undefined) {
    const key = priorityKey(priority);
    // The index knows the rank, which other names share.
    conditions.push(sql`t.priority_rank = ${rankOfPriority(key)} and t.priority = ${key}`);
  }
  if (query.delivery !== undefined) conditions.push(hasDelivery(workspaceId, query.delivery));
  if (tags !== undefined) conditions.push(hasTags(workspaceId, tags));
  return conditions;
}

/** The workspace is one more key of the index; no tag begins with a space. */
function hasTags(workspaceId: string, tags: readonly string[]): Sql {
  return sql`array_append(t.tag_keys, ' ' || t.workspace_id::text) @> ${[` ${workspaceId}`, ...tags.map(caseKey)]}::text[]`;
}

/**
 * What did not arrive is little, and has an index of its own; its condition stands in the text, for the planner sees no
 * values in a plan that serves them all. What was sent is most of what there is: each ticket that is come to is asked for
 * it, by a subquery that the planner cannot turn into a join, which would read all that was ever sent before the first row.
 */
function hasDelivery(workspaceId: string, statuses: readonly DeliveryStatus[]): Sql {
  if (statuses.includes('sent')) {
    return sql`(
      select true
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and m.delivery_status = any(${statuses}::text[])
      limit 1)`;
  }
  return sql`t.id in (
    select m.ticket_id
    from messages m
    where m.workspace_id = ${workspaceId} and m.delivery_status = any(${statuses}::text[])
      and m.delivery_status in ('queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled'))`;
}

function assigneeIs(assignee: string, userId: string): Sql {
  const asked = assignee.trim().toLowerCase();
  if (asked === 'none') return sql`t.assignee_id is null`;
  if (asked === 'me') return sql`t.assignee_id = ${userId}`;
  if (isUuid(asked)) return sql`t.assignee_id = ${asked}`;
  throw invalidRequest({ path: 'query.assignee', message: 'must be a user id, me or none' });
}
