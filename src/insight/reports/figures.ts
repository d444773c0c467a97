import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { integersOf, quantilesOf } from './quantiles.ts';
import type { Durations, Figures, ReportClock } from './schema.ts';

/** What happened within times, of each kind one statement. Each reads only its times, in order, from an index. */

export type Span = { from: string; to: string };

/** The span of the same length before. */
export function spanBefore({ from, to }: Span): Span {
  const length = Date.parse(to) - Date.parse(from);
  return { from: new Date(Date.parse(from) - length).toISOString(), to: from };
}

export type Counted = {
  workspaceId: WorkspaceId;
  /** The conditions of the report on ticket `t`. They begin with what the reader sees. Undefined: all tickets count. */
  conditions: readonly Sql[] | undefined;
  span: Span;
  clock: ReportClock;
};

/** What figures are divided by, in an expression on the ticket `t`, the row `m` or the row `r`: text or null. */
export type Key = { of: Sql; from?: Sql; needsTicket: boolean };

/** A part of the figures: what happened within one of the spans that were asked for, counted from 0, for one key. */
type Part = { place: number; key: string | null };
type CreatedPart = Part & { count: number; opened: number };
/** Tickets that are new in the place, and in the whole span of the report. */
type Tickets = { tickets: number; newTickets: number };
type ResponsePart = Part & Tickets & { count: number; firsts: number; took: Int32Array; firstTook: Int32Array };
type ResolutionPart = Part & { count: number; oneTouch: number; took: Int32Array };
/** `change`: by how many tickets more were open, beside those that were created or resolved. */
type TurnPart = Part & Tickets & { change: number };

export type Parts = {
  created: readonly CreatedPart[];
  response: readonly ResponsePart[];
  resolution: readonly ResolutionPart[];
  turn: readonly TurnPart[];
};

export const noParts: Parts = { created: [], response: [], resolution: [], turn: [] };

/** Reads all that happened within spans, which follow each other. */
export async function readParts(db: Queryable, counted: Counted, places: readonly Span[], key?: Key): Promise<Parts> {
  const [created, response, resolution, turn] = await Promise.all([
    readCreated(db, counted, places, key),
    readResponses(db, counted, places, key),
    readResolutions(db, counted, places, key),
    readTurns(db, counted, places, key),
  ]);
  return { created, response, resolution, turn };
}

/** The same for members: who answered, and who closed. */
export async function readPartsOfMembers(db: Queryable, counted: Counted): Promise<Parts> {
  const places = [counted.span];
  const [response, resolution] = await Promise.all([
    readResponses(db, counted, places, { of: sql`r.user_id::text`, needsTicket: false }),
    readResolutions(db, counted, places, { of: sql`m.resolved_by::text`, needsTicket: false }),
  ]);
  return { ...noParts, response, resolution };
}

/** The rows of spans, as `p`. */
function rowsOf(places: readonly Span[]): Sql {
  const [begins, ends] = [places.map(({ from }) => from), places.map(({ to }) => to)];
  return sql`unnest(${begins}::timestamptz[], ${ends}::timestamptz[]) with ordinality p (begins, ends, number)`;
}

/** The ticket of a row that names it, where a condition or the key is on the ticket. */
export function withTicket({ workspaceId, conditions }: Counted, ticketId: Sql, key?: Key): Sql {
  if (conditions === undefined && key?.needsTicket !== true) return sql`${key?.from ?? sql``}`;
  return sql`join tickets t on t.workspace_id = ${workspaceId} and t.id = ${ticketId} ${key?.from ?? sql``}`;
}

/** The conditions of the report, after those of a statement. */
export function also({ conditions = [] }: Counted): Sql {
  return conditions.length === 0 ? sql`` : sql`and ${joinSql(conditions, ' and ')}`;
}

const keyOf = (key: Key | undefined) => key?.of ?? sql`null::text`;
const byKey = (key: Key | undefined) => (key === undefined ? sql`group by ()` : sql`group by 1`);

function readCreated(db: Queryable, counted: Counted, places: readonly Span[], key?: Key): Promise<CreatedPart[]> {
  return db.rows<CreatedPart>(
    plannedAnew(sql`
      select (p.number - 1)::integer as place, c.key, c.count, c.opened
      from ${rowsOf(places)}
      cross join lateral (
        select ${keyOf(key)} as key, count(*)::integer as count,
          (count(*) filter (where m.began_open))::integer as opened
        from ticket_metrics m ${withTicket(counted, sql`m.ticket_id`, key)}
        where m.workspace_id = ${counted.workspaceId} and m.created_at >= p.begins and m.created_at < p.ends
          ${also(counted)}
        ${byKey(key)}) c`),
  );
}

async function readResponses(
  db: Queryable,
  counted: Counted,
  places: readonly Span[],
  key?: Key,
): Promise<ResponsePart[]> {
  const { workspaceId, clock, span } = counted;
  const waited = clock === 'business' ? sql`r.business_seconds` : sql`r.seconds`;
  // Several members may answer one ticket.
  const isOfTickets = key === undefined || key.needsTicket;
  const ticketsSince = (begin: Sql) =>
    isOfTickets
      ? sql`count(*) filter (where r.previous_at is null or r.previous_at < ${begin})`
      : sql`count(distinct r.ticket_id)`;
  // First responses are negative: so one array has all.
  const rows = await db.rows<Omit<ResponsePart, 'took' | 'firstTook'> & { seconds: string | null }>(
    plannedAnew(sql`
      select (p.number - 1)::integer as place, c.key, c.count, c.firsts, c.tickets, c.new_tickets as "newTickets",
        c.seconds
      from ${rowsOf(places)}
      cross join lateral (
        select ${keyOf(key)} as key, count(*)::integer as count,
          (count(*) filter (where r.is_first))::integer as firsts,
          (${ticketsSince(sql`p.begins`)})::integer as tickets,
          (${ticketsSince(sql`${span.from}::timestamptz`)})::integer as new_tickets,
          (array_agg(case when r.is_first then -1 - ${waited} else ${waited} end)
            filter (where ${waited} is not null))::text as seconds
        from ticket_responses r ${withTicket(counted, sql`r.ticket_id`, key)}
        where r.workspace_id = ${workspaceId} and r.responded_at >= p.begins and r.responded_at < p.ends
          ${also(counted)}
        ${byKey(key)}) c`),
  );
  return rows.map(({ seconds, ...row }) => {
    const values = integersOf(seconds);
    const firstTook = values.filter((value) => value < 0).map((value) => -1 - value);
    return { ...row, took: values.map((value) => (value < 0 ? -1 - value : value)), firstTook };
  });
}

async function readResolutions(
  db: Queryable,
  counted: Counted,
  places: readonly Span[],
  key?: Key,
): Promise<ResolutionPart[]> {
  const spent = counted.clock === 'business' ? sql`m.resolution_business_seconds` : sql`m.resolution_seconds`;
  const rows = await db.rows<Omit<ResolutionPart, 'took'> & { seconds: string | null }>(
    plannedAnew(sql`
      select (p.number - 1)::integer as place, c.key, c.count, c.one_touch as "oneTouch", c.seconds
      from ${rowsOf(places)}
      cross join lateral (
        select ${keyOf(key)} as key, count(*)::integer as count,
          (count(*) filter (where m.is_one_touch))::integer as one_touch,
          (array_agg(${spent}) filter (where ${spent} is not null))::text as seconds
        from ticket_metrics m ${withTicket(counted, sql`m.ticket_id`, key)}
        where m.workspace_id = ${counted.workspaceId} and m.resolved_at >= p.begins and m.resolved_at < p.ends
          ${also(counted)}
        ${byKey(key)}) c`),
  );
  return rows.map(({ seconds, ...row }) => ({ ...row, took: integersOf(seconds) }));
}

/** Few tickets are opened again. Their other turns are read here, those that are no creation and no resolution. */
function readTurns(db: Queryable, counted: Counted, places: readonly Span[], key?: Key): Promise<TurnPart[]> {
  const { workspaceId, span } = counted;
  const begins = places.map(({ from }) => from);
  return db.rows<TurnPart>(
    plannedAnew(sql`
      select turn.place - 1 as place, ${keyOf(key)} as key,
        (count(distinct m.ticket_id) filter (where turn.is_opened))::integer as tickets,
        (count(*) filter (where turn.is_opened and turn.number = 1))::integer as "newTickets",
        sum(case when turn.is_opened then 1 else -1 end)::integer as change
      from ticket_metrics m ${withTicket(counted, sql`m.ticket_id`, key)}
      cross join lateral (
        select width_bucket(each.at, ${begins}::timestamptz[]) as place, each.is_opened,
          row_number() over (partition by each.is_opened, each.at >= ${span.from} order by each.at) as number
        from (
          select opened.at, true from unnest(m.opened_at) opened (at) where opened.at > m.created_at
          union all
          select closed.at, false
          from unnest(case when m.resolved_at is null then m.closed_at else trim_array(m.closed_at, 1) end) closed (at)
        ) each (at, is_opened)
        where each.at >= ${begins[0]} and each.at < ${span.to}
      ) turn
      where m.workspace_id = ${workspaceId} and m.is_reopened and m.turned_at >= ${begins[0]} ${also(counted)}
      group by 1, 2`),
  );
}

/** Divides parts by what `nameOf` says of each. */
export function partsBy<Name>(parts: Parts, nameOf: (part: Part) => Name): Map<Name, Parts> {
  const divided = new Map<Name, Parts>();
  for (const kind of ['created', 'response', 'resolution', 'turn'] as const)
    for (const [name, rows] of Map.groupBy<Name, Part>(parts[kind], nameOf))
      divided.set(name, { ...(divided.get(name) ?? noParts), [kind]: rows });
  return divided;
}

/** The figures of parts: of one place, or with `newTickets` of all places of the span. */
export function figuresOf({ created, response, resolution, turn }: Parts, of: keyof Tickets = 'tickets'): Figures {
  const tickets = (part: Tickets) => part[of];
  const firsts = sum(response, ({ firsts: first }) => first);
  const resolved = sum(resolution, ({ count }) => count);
  return {
    created: sum(created, ({ count }) => count),
    firstResponse: durationsOf(firsts, firsts, joined(response.map(({ firstTook }) => firstTook))),
    response: durationsOf(
      sum(response, ({ count }) => count),
      sum(response, tickets),
      joined(response.map(({ took }) => took)),
    ),
    resolution: durationsOf(resolved, resolved, joined(resolution.map(({ took }) => took))),
    reopened: sum(turn, tickets),
    oneTouch: sum(resolution, ({ oneTouch }) => oneTouch),
  };
}

/** By how many tickets more were open at the end of parts than at their begin. */
export function changeOf({ created, resolution, turn }: Parts): number {
  return (
    sum(created, ({ opened }) => opened) - sum(resolution, ({ count }) => count) + sum(turn, ({ change }) => change)
  );
}

function sum<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((all, item) => all + numberOf(item), 0);
}

function joined(arrays: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(sum(arrays, ({ length }) => length));
  let length = 0;
  for (const array of arrays) {
    all.set(array, length);
    length += array.length;
  }
  return all;
}

function durationsOf(count: number, tickets: number, took: Int32Array): Durations {
  const [median, p90] = quantilesOf(took, [0.5, 0.9]);
  const mean = took.length === 0 ? undefined : took.reduce((all, one) => all + one, 0) / took.length;
  return { count, tickets, mean: whole(mean), median: whole(median), p90: whole(p90) };
}

const whole = (seconds: number | undefined): number | null => (seconds === undefined ? null : Math.round(seconds));
