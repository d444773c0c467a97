import type { Actor } from '../catalog/actor.ts';
import type { Queryable } from '../database/db.ts';
import { countLists } from '../inbox/count-lists.ts';
import { listQueryOf } from '../inbox/schema.ts';
import { listViews } from './queries.ts';
import type { Counts, View } from './schema.ts';

/** How many views are counted at most. Counting a view costs as much as its list. */
const viewsMax = 100;

/** Counts the tickets of the standard lists and the actor's views. */
export async function readCounts(db: Queryable, actor: Actor, now: Date): Promise<Counts> {
  return countViews(db, actor, await listViews(db, actor), now);
}

/** The same for views that are already read. Skips views with a search. */
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
