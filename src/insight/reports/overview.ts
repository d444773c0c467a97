import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import type { Asked } from './asked.ts';
import { figuresOf, type Keys, readParts, type Span } from './figures.ts';
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
  const partsIn = Map.groupBy(
    parts.filter(({ isTotal }) => !isTotal),
    ({ key }) => instantOf(key),
  );
  return {
    isComplete,
    figures: figuresOf(parts.filter(({ isTotal }) => isTotal)),
    before: figuresOf(before.filter(({ isTotal }) => isTotal)),
    backlog: backlog.now,
    series: buckets.map((at, index) => ({
      at,
      ...figuresOf(partsIn.get(at) ?? []),
      backlog: backlog.at(buckets[index + 1] ?? span.to),
    })),
  };
}

function spanBefore({ from, to }: Span): Span {
  const length = Date.parse(to) - Date.parse(from);
  return { from: new Date(Date.parse(from) - length).toISOString(), to: from };
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

/** The begins of the intervals of a span, those without anything too. */
async function listIntervals(db: Queryable, { from, to }: Span, { interval, timeZone }: Divided): Promise<string[]> {
  const rows = await db.rows<{ at: string }>(sql`
    select i.at
    from generate_series(
      date_trunc(${interval}::text, ${from}::timestamptz, ${timeZone}::text), ${to}::timestamptz,
      ('1 ' || ${interval}::text)::interval, ${timeZone}::text) i (at)
    where i.at < ${to}::timestamptz
    order by i.at`);
  return rows.map(({ at }) => new Date(at).toISOString());
}

/** How many tickets are not closed: now, and at the end of each interval by what was opened and closed since then. */
async function readBacklog(db: Queryable, { workspaceId, conditions, span }: Asked, divided: Divided) {
  const where = joinSql(conditions, ' and ');
  const turns = sql`
    select ${intervalOf(sql`turn.at`, divided)} as at, sum(turn.change)::integer as change
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
  const since = (end: string) =>
    changes.reduce((sum, { at, change }) => (instantOf(at) >= end ? sum + change : sum), 0);
  return { now: open, at: (end: string) => Math.max(0, open - since(end)) };
}
