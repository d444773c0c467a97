import { listTeamIds } from '../../access/teams/queries.ts';
import { encodePosition, encodeRead, startOf } from '../../events/activity/position.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { type Moment, readMoment } from '../../ground/database/moment.ts';
import type { TeamId } from '../../ground/lib/ids.ts';
import { listMailboxIds } from '../../mail/mailboxes/queries.ts';
import { countLists } from '../lists/count-lists.ts';
import { type ListTicketsQuery, listQueryOf } from '../lists/schema.ts';
import { listViews } from './queries.ts';
import type { Counts, View } from './schema.ts';

/** How many views are counted at most. Counting a view costs as much as its list. */
const viewsMax = 100;
const teamsMax = 100;

/** Counts the tickets of the standard lists, the actor's views, the mailboxes and the teams. */
export async function readCounts(db: Queryable, actor: Actor, now: Date): Promise<Counts> {
  const [moment, views, mailboxIds, teamIds] = await together([
    readMoment(db),
    listViews(db, actor),
    listMailboxIds(db, actor.workspaceId),
    listTeamIds(db, actor.workspaceId),
  ]);
  return countViews(db, actor, { views, mailboxIds, teamIds, now, moment });
}

type Known = {
  views: readonly View[];
  mailboxIds: readonly string[];
  teamIds: readonly TeamId[];
  now: Date;
  moment: Pick<Moment, 'epoch' | 'horizon'>;
};

/**
 * The same for views, mailboxes and teams that are already read. Skips views with a search, and a mailbox that is the
 * only one, whose tickets the standard lists count.
 * @param known the moment was read before, so the count sees at least everything before it
 */
export async function countViews(
  db: Queryable,
  actor: Actor,
  { views, mailboxIds, teamIds, now, moment }: Known,
): Promise<Counts> {
  const counted = views.filter(({ query }) => query.search === undefined).slice(0, viewsMax);
  const mailboxes = mailboxIds.length > 1 ? mailboxIds : [];
  const queries = [
    ...counted.map(({ query }) => listQueryOf(query)),
    ...mailboxes.map((id): ListTicketsQuery => ({ status: ['open'], mailbox: [id] })),
  ];
  const asked = { queries, teamIds: teamIds.slice(0, teamsMax) };
  const { standard, others, teams, snapshot } = await countLists(db, actor, asked, now);
  const ofViews = others.slice(0, counted.length);
  const ofMailboxes = others.slice(counted.length);
  const { epoch, horizon } = moment;
  return {
    position: snapshot === null ? encodePosition(startOf(epoch, BigInt(horizon))) : encodeRead(epoch, snapshot),
    lists: standard,
    views: ofViews.map((count, at) => ({ viewId: counted[at]?.id ?? '', ...count })),
    mailboxes: ofMailboxes.map((count, at) => ({ mailboxId: mailboxes[at] ?? '', ...count })),
    teams,
  };
}
