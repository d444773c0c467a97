import { shownMembers } from '../../access/teams/shown-figures.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { isGood } from '../../helpdesk/ratings/list-answers.ts';
import type { Asked } from './asked.ts';
import { spanBefore } from './figures.ts';
import { readNames } from './groups.ts';
import { listIntervals } from './overview.ts';
import type { Interval, Ratings, RatingsBy, Satisfaction } from './schema.ts';

const groupsMax = 50;

type RatingRow = { key: string | null; isTotal: boolean } & Ratings;
/** How the figures are divided: what was asked, and what was answered. Each is an expression, text or null. */
type RatingKeys = { asked: Sql; answered: Sql };

/** How satisfied customers were in a span, in the span before it, and in each interval. */
export async function readSatisfaction(
  db: Queryable,
  actor: Actor,
  asked: Asked,
  { interval, by }: { interval: Interval; by?: RatingsBy | undefined },
): Promise<Satisfaction> {
  const divided = { interval, timeZone: asked.timeZone };
  const byInterval = { asked: intervalOf(sql`a.asked_at`, divided), answered: intervalOf(sql`a.answered_at`, divided) };
  const [rows, before, buckets, groups] = await Promise.all([
    readRatings(db, asked, byInterval),
    readRatings(db, { ...asked, span: spanBefore(asked.span) }, { asked: sql`null::text`, answered: sql`null::text` }),
    listIntervals(db, asked.span, divided),
    by === undefined ? [] : readRatingsBy(db, actor, asked, by),
  ]);
  const rowAt = new Map(rows.filter(({ isTotal }) => !isTotal).map((row) => [instantOf(row.key), row]));
  return {
    figures: ratingsOf(rows.find(({ isTotal }) => isTotal)),
    before: ratingsOf(before.find(({ isTotal }) => isTotal)),
    series: buckets.map((at) => ({ at, ...ratingsOf(rowAt.get(at)) })),
    groups,
  };
}

/** The begin of the interval in which a time is. */
function intervalOf(at: Sql, { interval, timeZone }: { interval: Interval; timeZone: string }): Sql {
  return sql`date_trunc(${interval}::text, ${at}, ${timeZone}::text)::text`;
}

const instantOf = (text: string | null): string => (text === null ? '' : new Date(text).toISOString());

const columnOf: Record<RatingsBy, Sql> = {
  member: sql`a.user_id::text`,
  team: sql`a.team_id::text`,
  mailbox: sql`a.mailbox_id::text`,
};

/** Those of each member, team or mailbox, as they were at the time of asking; those with the most answers first. */
async function readRatingsBy(
  db: Queryable,
  actor: Actor,
  asked: Asked,
  by: RatingsBy,
): Promise<Satisfaction['groups']> {
  const members = by === 'member' ? await shownMembers(db, actor) : 'all';
  if (members === 'none') throw new AppError('report.members_not_shown');
  const rows = await readRatings(db, asked, { asked: columnOf[by], answered: columnOf[by] });
  const shown = rows
    .filter(({ isTotal, key }) => !isTotal && (members === 'all' || (key !== null && members.has(key))))
    .sort((one, other) => other.answered - one.answered || other.asked - one.asked)
    .slice(0, groupsMax);
  const names = await readNames(
    db,
    actor,
    by,
    shown.flatMap(({ key }) => key ?? []),
  );
  return shown.map((row) => ({
    key: row.key,
    name: row.key === null ? null : (names.get(row.key) ?? null),
    ...ratingsOf(row),
  }));
}

function ratingsOf(row: Ratings | undefined): Ratings {
  const { asked = 0, answered = 0, good = 0, doubtful = 0 } = row ?? {};
  return { asked, answered, good, doubtful };
}

/** What counts for whoever sees everything. */
const inInbox = [sql`t.merged_into_id is null and t.trashed_at is null and t.spam_at is null`];

/** What was asked counts when the mail left, and an answer when it first came. */
function readRatings(
  db: Queryable,
  { workspaceId, conditions = inInbox, span }: Asked,
  keys: RatingKeys,
): Promise<RatingRow[]> {
  const isIn = (at: Sql) => sql`${at} >= ${span.from} and ${at} < ${span.to}`;
  const asks = sql`
    from tickets t
    join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
    join survey_asks a on a.workspace_id = ${workspaceId} and a.message_id = m.id
    where t.workspace_id = ${workspaceId} and ${joinSql(conditions, ' and ')}`;
  return db.rows<RatingRow>(
    plannedAnew(sql`
      select h.key, grouping(h.key) = 1 as "isTotal",
        (count(*) filter (where h.is_asked))::integer as asked,
        (count(*) filter (where not h.is_asked and not h.is_doubtful))::integer as answered,
        (count(*) filter (where not h.is_asked and not h.is_doubtful and h.is_good))::integer as good,
        (count(*) filter (where h.is_doubtful))::integer as doubtful
      from (
        select ${keys.asked}, true, false, false
        ${asks} and ${isIn(sql`a.asked_at`)} and m.delivery_status in ('sent', 'uncertain')
        union all
        select ${keys.answered}, false, a.doubt is not null, ${isGood}
        ${asks} and ${isIn(sql`a.answered_at`)}
      ) h (key, is_asked, is_doubtful, is_good)
      group by grouping sets ((h.key), ())`),
  );
}
