import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { allConditionsOf } from '../lists/list.ts';
import { requireNamed } from '../lists/named.ts';
import { isEmptyList, listQueryOf, type WrittenListQuery } from '../lists/schema.ts';
import { matchingMax } from './schema.ts';

export type Matching = { query: WrittenListQuery; exceptIds?: readonly TicketId[] };

/** The conditions on `t` of the tickets that a list shows, however long it is. */
export async function conditionsOfMatching(
  db: Queryable,
  actor: Actor,
  { query, exceptIds = [] }: Matching,
  now: Date,
): Promise<Sql[]> {
  refuseEmptyLists(query);
  const list = listQueryOf(query);
  await requireNamed(db, actor, list);
  const conditions = await allConditionsOf(db, actor, list, now);
  return exceptIds.length === 0 ? conditions : [...conditions, sql`t.id <> all(${exceptIds}::uuid[])`];
}

/** Throws 400: a program that computes a list, and finds nothing for it, does not mean every ticket. */
function refuseEmptyLists(query: WrittenListQuery): void {
  const empty = Object.entries(query).filter(([, value]) => isEmptyList(value));
  if (empty.length === 0) return;
  throw invalidRequest(
    ...empty.map(([name]) => ({ path: `body.query.${name}`, key: 'too_few_items', params: { limit: 1 } }) as const),
  );
}

/** The ids of these tickets, at most one more than a change may have. */
export function idsWhere(conditions: readonly Sql[]): Sql {
  return sql`select t.id from tickets t where ${joinSql(conditions, ' and ')} limit ${matchingMax + 1}`;
}

/** Counts exactly. Throws 409 `bulk_change.too_many` if there are more than a change may have. */
export async function countMatching(db: Queryable, actor: Actor, matching: Matching, now: Date): Promise<number> {
  const conditions = await conditionsOfMatching(db, actor, matching, now);
  const { count } = await db.one<{ count: number }>(
    plannedAnew(sql`select count(*) as count from (${idsWhere(conditions)}) matching`),
  );
  refuseTooManyTickets(count);
  return count;
}

export function refuseTooManyTickets(count: number): void {
  if (count > matchingMax) throw new AppError('bulk_change.too_many', { max: matchingMax });
}
