import type { Actor } from '../catalog/actor.ts';
import type { Queryable } from '../database/db.ts';
import { countLists } from '../inbox/count-lists.ts';
import type { ListTicketsQuery } from '../tickets/schema.ts';
import { listViews } from './queries.ts';
import type { Counts, View } from './schema.ts';

/** So many views are counted: each costs as much as its list. */
const viewsMax = 100;

/** How many tickets the standard lists and the actor's views hold. */
export async function readCounts(db: Queryable, actor: Actor, now: Date): Promise<Counts> {
  return countViews(db, actor, await listViews(db, actor), now);
}

/** As the list takes it: a view may name one assignee by itself. */
function listQueryOf({ assignee, ...query }: View['query']): ListTicketsQuery {
  return assignee === undefined ? query : { ...query, assignee: [assignee].flat() };
}

/** The same, where the views are known. Those that search are passed over. */
export async function countViews(db: Queryable, actor: Actor, views: readonly View[], now: Date): Promise<Counts> {
  const counted = views.filter(({ query }) => query.search === undefined).slice(0, viewsMax);
  const { standard, others } = await countLists(
    db,
    actor,
    counted.map(({ query }) => listQueryOf(query)),
    now,
  );
  return { lists: standard, views: others.map((count, at) => ({ viewId: counted[at]?.id ?? '', ...count })) };
}
