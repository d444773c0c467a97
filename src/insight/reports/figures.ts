import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Durations, Figures, ReportClock } from './schema.ts';

/** A part of a report: what happened within a time, counted by keys. Parts are joined by their key. */

export type Span = { from: string; to: string };

/** The span of the same length before. */
export function spanBefore({ from, to }: Span): Span {
  const length = Date.parse(to) - Date.parse(from);
  return { from: new Date(Date.parse(from) - length).toISOString(), to: from };
}

export type Counted = {
  workspaceId: WorkspaceId;
  /** The conditions of the report on ticket `t`. They begin with what the reader sees. */
  conditions: readonly Sql[];
  span: Span;
  clock: ReportClock;
};

/** How a part is divided. Each is an expression, text or null; undefined: the part has no such key. */
export type Keys = {
  created: Sql | undefined;
  response: Sql | undefined;
  resolution: Sql | undefined;
  reopened: Sql | undefined;
  /** Rows that a key comes from, beside the ticket. */
  from?: Sql;
};

/** What happened of one kind, for one key or for all of them. */
export type PartRow = {
  part: 'created' | 'response' | 'resolution' | 'reopened';
  key: string | null;
  isTotal: boolean;
  oneTouch: number;
} & Measured & { first: Measured };

type Measured = { count: number; tickets: number; mean: number | null; quantiles: (number | null)[] | null };

/** Reads all figures of a report in one statement, which reads each row once. */
export function readParts(db: Queryable, counted: Counted, keys: Keys): Promise<PartRow[]> {
  return db.rows<PartRow>(
    plannedAnew(sql`
      select h.part, h.key, grouping(h.key) = 1 as "isTotal", count(*)::integer as count,
        count(distinct h.ticket_id)::integer as tickets,
        (count(*) filter (where h.is_one_touch))::integer as "oneTouch", avg(h.took)::float8 as mean,
        percentile_cont(array[0.5, 0.9]) within group (order by h.took) as quantiles,
        json_build_object(
          'count', count(*) filter (where h.is_first), 'tickets', count(*) filter (where h.is_first),
          'mean', avg(h.took) filter (where h.is_first),
          'quantiles', percentile_cont(array[0.5, 0.9]) within group (order by h.took) filter (where h.is_first)
        ) as first
      from (${happenings(counted, keys)}) h (part, key, ticket_id, took, is_first, is_one_touch)
      group by grouping sets ((h.part, h.key), (h.part))`),
  );
}

/** A row for each thing that happened in the time of the report. */
function happenings({ workspaceId, conditions, span, clock }: Counted, keys: Keys): Sql {
  const where = joinSql(conditions, ' and ');
  const isIn = (at: Sql) => sql`${at} >= ${span.from} and ${at} < ${span.to}`;
  const tickets = sql`tickets t ${keys.from ?? sql``}`;
  const metrics = sql`join ticket_metrics m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id`;
  const [waited, spent] =
    clock === 'business'
      ? [sql`r.business_seconds`, sql`m.resolution_business_seconds`]
      : [sql`r.seconds`, sql`m.resolution_seconds`];
  const kinds = [
    keys.created &&
      sql`
        select 'created', ${keys.created}, t.id, null::float8, false, false
        from ${tickets} where ${where} and ${isIn(sql`t.created_at`)}`,
    keys.response &&
      sql`
        select 'response', ${keys.response}, t.id, ${waited}::float8, r.is_first, false
        from ${tickets}
        join ticket_responses r on r.workspace_id = ${workspaceId} and r.ticket_id = t.id
        where ${where} and ${isIn(sql`r.responded_at`)}`,
    keys.resolution &&
      sql`
        select 'resolution', ${keys.resolution}, t.id, ${spent}::float8, false, m.is_one_touch
        from ${tickets} ${metrics} where ${where} and ${isIn(sql`m.resolved_at`)}`,
    keys.reopened &&
      sql`
        select 'reopened', ${keys.reopened}, t.id, null::float8, false, false
        from ${tickets} ${metrics} cross join lateral unnest(m.opened_at) reopened (at)
        where ${where} and m.turned_at >= ${span.from} and ${isIn(sql`reopened.at`)} and reopened.at > t.created_at`,
  ];
  return kinds.filter((kind) => kind !== undefined).reduce((all, one) => sql`${all} union all ${one}`);
}

/** The figures of one key, or of all, from its rows. */
export function figuresOf(rows: readonly PartRow[]): Figures {
  const of = (name: PartRow['part']) => rows.find(({ part }) => part === name);
  return {
    created: of('created')?.count ?? 0,
    firstResponse: durationsOf(of('response')?.first),
    response: durationsOf(of('response')),
    resolution: durationsOf(of('resolution')),
    reopened: of('reopened')?.tickets ?? 0,
    oneTouch: of('resolution')?.oneTouch ?? 0,
  };
}

function durationsOf(measured: Measured | undefined): Durations {
  const { count = 0, tickets = 0, mean = null, quantiles } = measured ?? {};
  const [median = null, p90 = null] = quantiles ?? [];
  return { count, tickets, mean: whole(mean), median: whole(median), p90: whole(p90) };
}

const whole = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds));
