import type { Queryable } from '../../ground/database/db.ts';
import { plannedAnew, sql } from '../../ground/database/sql.ts';
import type { Asked } from './asked.ts';
import {
  also,
  changeOf,
  figuresOf,
  noParts,
  type Parts,
  partsBy,
  readParts,
  type Span,
  spanBefore,
  withTicket,
} from './figures.ts';
import type { Interval, Overview } from './schema.ts';

/** The figures of a span, of the span before it, and of each interval. */
export async function readOverview(db: Queryable, asked: Asked, interval: Interval): Promise<Overview> {
  const { span, timeZone, isComplete } = asked;
  const begins = await listIntervals(db, span, { interval, timeZone });
  // The first place is the span before. The first interval may begin before the span.
  const places = [spanBefore(span), ...begins.map((begin, index) => within(span, begin, begins[index + 1]))];
  const [parts, backlog] = await Promise.all([readParts(db, asked, places), readBacklog(db, asked)]);
  const byPlace = partsBy(parts, ({ place }) => place);
  const [before = noParts, ...partsIn] = places.map((_, place) => byPlace.get(place) ?? noParts);
  const whole = partsBy(parts, ({ place }) => place > 0).get(true);
  return {
    isComplete,
    figures: figuresOf(whole ?? noParts, 'newTickets'),
    before: figuresOf(before),
    backlog: backlog.now,
    series: withBacklog(partsIn, backlog.atEnd).map((one, index) => ({ at: begins[index] ?? span.from, ...one })),
  };
}

/** The figures of each place, with the tickets that were not closed at its end: from the last place to the first. */
function withBacklog(partsIn: readonly Parts[], atEnd: number) {
  let open = atEnd;
  const backwards = partsIn.toReversed().map((parts) => {
    const backlog = Math.max(0, open);
    open -= changeOf(parts);
    return { ...figuresOf(parts), backlog };
  });
  return backwards.reverse();
}

function within({ from, to }: Span, begin: string, end: string = to): Span {
  return { from: begin > from ? begin : from, to: end };
}

/**
 * The begins of the intervals of a span, those without anything too. A day whose midnight a zone skips begins later,
 * and so would all after it in the series.
 */
export async function listIntervals(
  db: Queryable,
  { from, to }: Span,
  { interval, timeZone }: { interval: Interval; timeZone: string },
): Promise<string[]> {
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

/**
 * How many tickets are not closed now, and how many were not at the end of the span. A ticket that was opened again has
 * a life with gaps: it is counted as if it had none, and then its gap is taken off.
 */
async function readBacklog(db: Queryable, asked: Asked): Promise<{ now: number; atEnd: number }> {
  const { workspaceId, span } = asked;
  const { now, lived, shut } = await db.one<{ now: number; lived: number; shut: number }>(
    plannedAnew(sql`
      select open.now, open.lived + (
          select count(*)
          from ticket_metrics m ${withTicket(asked, sql`m.ticket_id`)}
          where m.workspace_id = ${workspaceId} and m.resolved_at >= ${span.to} and m.created_at < ${span.to}
            ${also(asked)})::integer as lived,
        (
          select count(*)
          from ticket_metrics m ${withTicket(asked, sql`m.ticket_id`)}
          where m.workspace_id = ${workspaceId} and m.is_reopened and m.turned_at >= ${span.to}
            and m.created_at < ${span.to} ${also(asked)}
            and (select count(*) from unnest(m.opened_at) opened (at) where opened.at < ${span.to})
              = (select count(*) from unnest(m.closed_at) closed (at) where closed.at < ${span.to}))::integer as shut
      from (
        select count(*)::integer as now, (count(*) filter (where m.created_at < ${span.to}))::integer as lived
        from ticket_metrics m ${withTicket(asked, sql`m.ticket_id`)}
        where m.workspace_id = ${workspaceId} and m.is_open ${also(asked)}) open`),
  );
  return { now, atEnd: lived - shut };
}
