import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Durations, Figures, ReportClock } from './schema.ts';

/** A part of a report: what happened within a time, counted by keys. Parts are joined by their key. */

export type Span = { from: string; to: string };

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

/** One part of the figures of one key. */
export type PartRow = {
  part: 'created' | 'firstResponse' | 'response' | 'resolution' | 'reopened';
  key: string | null;
  count: number;
  tickets: number;
  oneTouch: number;
  mean: number | null;
  quantiles: number[] | null;
};

const none = sql`null::float8`;

/** Reads all figures of a report, in one statement. */
export function readParts(db: Queryable, counted: Counted, keys: Keys): Promise<PartRow[]> {
  return db.rows<PartRow>(plannedAnew(partsOf(counted, keys)));
}

function partsOf({ workspaceId, conditions, span, clock }: Counted, keys: Keys): Sql {
  const where = joinSql(conditions, ' and ');
  const isIn = (at: Sql) => sql`${at} >= ${span.from} and ${at} < ${span.to}`;
  const tickets = sql`tickets t ${keys.from ?? sql``}`;
  const metrics = sql`join ticket_metrics m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id`;
  const responses = sql`join ticket_responses r on r.workspace_id = ${workspaceId} and r.ticket_id = t.id`;
  const isBusiness = clock === 'business';
  const parts: Sql[] = [];
  if (keys.created) {
    parts.push(
      part(
        'created',
        keys.created,
        none,
        sql`from ${tickets} where ${where} and ${isIn(sql`t.created_at`)} group by 2`,
      ),
    );
  }
  if (keys.response) {
    const took = isBusiness ? sql`r.business_seconds` : sql`r.seconds`;
    const from = sql`from ${tickets} ${responses} where ${where} and ${isIn(sql`r.responded_at`)}`;
    parts.push(part('firstResponse', keys.response, took, sql`${from} and r.is_first group by 2`));
    parts.push(part('response', keys.response, took, sql`${from} group by 2`));
  }
  if (keys.resolution) {
    const took = isBusiness ? sql`m.resolution_business_seconds` : sql`m.resolution_seconds`;
    const from = sql`from ${tickets} ${metrics} where ${where} and ${isIn(sql`m.resolved_at`)} group by 2`;
    parts.push(part('resolution', keys.resolution, took, from, sql`count(*) filter (where m.is_one_touch)`));
  }
  if (keys.reopened) {
    parts.push(
      part(
        'reopened',
        keys.reopened,
        none,
        sql`from ${tickets} ${metrics}
          cross join lateral unnest(m.opened_at) reopened (at)
          where ${where} and m.turned_at >= ${span.from} and ${isIn(sql`reopened.at`)} and reopened.at > t.created_at
          group by 2`,
      ),
    );
  }
  return parts.reduce((all, one) => sql`${all} union all ${one}`);
}

function part(name: PartRow['part'], key: Sql, took: Sql, from: Sql, oneTouch: Sql = sql`0`): Sql {
  return sql`(
    select ${name}::text as part, ${key} as key, count(*)::integer as count, count(distinct t.id)::integer as tickets,
      (${oneTouch})::integer as "oneTouch", avg(${took})::float8 as mean,
      percentile_cont(array[0.5, 0.9]) within group (order by ${took}::float8) as quantiles
    ${from})`;
}

/** The figures of one key from its parts. */
export function figuresOf(rows: readonly PartRow[]): Figures {
  const of = (name: PartRow['part']) => rows.find(({ part }) => part === name);
  return {
    created: of('created')?.count ?? 0,
    firstResponse: durationsOf(of('firstResponse')),
    response: durationsOf(of('response')),
    resolution: durationsOf(of('resolution')),
    reopened: of('reopened')?.tickets ?? 0,
    oneTouch: of('resolution')?.oneTouch ?? 0,
  };
}

function durationsOf(row: PartRow | undefined): Durations {
  if (row === undefined) return { count: 0, tickets: 0, mean: null, median: null, p90: null };
  const [median = null, p90 = null] = row.quantiles ?? [];
  return {
    count: row.count,
    tickets: row.tickets,
    mean: whole(row.mean),
    median: whole(median),
    p90: whole(p90),
  };
}

const whole = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds));
