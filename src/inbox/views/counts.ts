import { encodePosition, encodeRead, startOf } from '../../events/activity/position.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { type Moment, readMoment } from '../../ground/database/moment.ts';
import { countLists } from '../lists/count-lists.ts';
import { listQueryOf } from '../lists/schema.ts';
import { listViews } from './queries.ts';
import type { Counts, View } from './schema.ts';

/** How many views are counted at most. Counting a view costs as much as its list. */
const viewsMax = 100;

/** Counts the tickets of the standard lists and the actor's views. */
export async function readCounts(db: Queryable, actor: Actor, now: Date): Promise<Counts> {
  const [moment, views] = await together([readMoment(db), listViews(db, actor)]);
  return countViews(db, actor, { views, now, moment });
}

type Known = { views: readonly View[]; now: Date; moment: Pick<Moment, 'epoch' | 'horizon'> };

/**
 * The same for views that are already read. Skips views with a search.
 * @param known the moment was read before, so the count sees at least everything before it
 */
export async function countViews(db: Queryable, actor: Actor, { views, now, moment }: Known): Promise<Counts> {
  const counted = views.filter(({ query }) => query.search === undefined).slice(0, viewsMax);
  const { standard, others, snapshot } = await countLists(
    db,
    actor,
    counted.map(({ query }) => listQueryOf(query)),
    now,
  );
  const { epoch, horizon } = moment;
  return {
    position: snapshot === null ? encodePosition(startOf(epoch, BigInt(horizon))) : encodeRead(epoch, snapshot),
    lists: standard,
    views: others.map((count, at) => ({ viewId: counted[at]?.id ?? '', ...count })),
  };
}
