import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import type { Asked } from './asked.ts';
import { figuresOf, type Keys, readParts, type Span, spanBefore } from './figures.ts';
import type { Interval, Overview } from './schema.ts';

type Divided = { interval: Interval; timeZone: string };

/** The figures of a span, of the span before it, and of each interval. */
export async function readOverview(db: Queryable, asked: Asked, interval: Interval): Promise<Overview> {
  const { span, timeZone, isComplete } = asked;
  const divided = { interval, timeZone };
  const nothing = sql`null::text`;
  const whole: Keys = { created: nothing, response: nothing, resolution: nothing, reopened: nothing };
  const [parts, before, buckets, backlog] = await Promise.all([
    readParts(db, asked, byInterval(divided)),
    readParts(db, { ...asked, span: spanBefore(span) }, whole),
    listIntervals(db, span, divided),
    readBacklog(db, asked, divided),
  ]);
  const backlogs = backlogsOf(backlog, buckets, span.to);
  const partsIn = Map.groupBy(
    parts.filter(({ isTotal }) => !isTotal),
    ({ key }) => instantOf(key),
  );
  return {
    isComplete,
    figures: figuresOf(parts.filter(({ isTotal }) => isTotal)),
    before: figuresOf(before.filter(({ isTotal }) => isTotal)),
    backlog: backlog.open,
    series: buckets.map((at, index) => ({
      at,
      ...figuresOf(partsIn.get(at) ?? []),
      backlog: backlogs[index] ?? 0,
    })),
  };
}

function byInterval(divided: Divided): Keys {
  return {
    created: intervalOf(sql`t.created_at`, divided),
    response: intervalOf(sql`r.responded_at`, divided),
    resolution: intervalOf(sql`m.resolved_at`, divided),
    reopened: intervalOf(sql`reopened.at`, divided),
  };
}

/** The begin of the interval in which a time is. */
function intervalOf(at: Sql, { interval, timeZone }: Divided): Sql {
  return sql`date_trunc(${interval}::text, ${at}, ${timeZone}::text)::text`;
}

const instantOf = (text: string | null): string => (text === null ? '' : new Date(text).toISOString());

/**
 * The begins of the intervals of a span, those without anything too. A day whose midnight a zone skips begins later,
 * and so would all after it in the series.
 */
async function listIntervals(db: Queryable, { from, to }: Span, { interval, timeZone }: Divided): Promise<string[]> {
  const rows = await db.rows<{ at: string }>(sql`
    select i.at
    from (
      select distinct date_trunc(${interval}::text, i.at, ${timeZone}::text) as at
      from generate_series(${from}::timestamptz, ${to}::timestamptz + ('1 ' || ${interval}::text)::interval,
        ('1 ' || ${interval}::text)::interval, ${timeZone}::text) i (at)
    ) i
    where i.at < ${to}::timestamptz
    order by i.at`);
  return rows.map(({ at }) => new Date(at).toISOString());
}

/** How many tickets are not closed now, and by how many they became more in each interval, and since the span. */
type Backlog = { open: number; changes: ReadonlyMap<string, number> };

async function readBacklog(
  db: Queryable,
  { workspaceId, conditions, span }: Asked,
  divided: Divided,
): Promise<Backlog> {
  const where = joinSql(conditions, ' and ');
  const turns = sql`
    select case when turn.at < ${span.to}::timestamptz then ${intervalOf(sql`turn.at`, divided)}
        else ${span.to}::timestamptz::text end as at,
      sum(turn.change)::integer as change
    from tickets t
    join ticket_metrics m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
    cross join lateral (
      select opened.at, 1 from unnest(m.opened_at) opened (at)
      union all
      select closed.at, -1 from unnest(m.closed_at) closed (at)
    ) turn (at, change)
    where ${where} and m.turned_at >= ${span.from} and turn.at >= ${span.from}
    group by 1`;
  const [changes, { open }] = await Promise.all([
    db.rows<{ at: string; change: number }>(plannedAnew(turns)),
    db.one<{ open: number }>(
      plannedAnew(
        sql`select count(*)::integer as open from tickets t where ${where} and t.status in ('open', 'pending')`,
      ),
    ),
  ]);
  return { open, changes: new Map(changes.map(({ at, change }) => [instantOf(at), change])) };
}

/** How many tickets were not closed at the end of each interval: those of now, without what changed since then. */
function backlogsOf({ open, changes }: Backlog, begins: readonly string[], end: string): number[] {
  let backlog = open - (changes.get(end) ?? 0);
  const backlogs = begins.toReversed().map((begin) => {
    const atItsEnd = backlog;
    backlog -= changes.get(begin) ?? 0;
    return Math.max(0, atItsEnd);
  });
  return backlogs.reverse();
}
