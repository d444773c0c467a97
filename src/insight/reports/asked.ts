import type { Actor } from '../../ground/catalog/actor.ts';
import { everything } from '../../ground/catalog/scope.ts';
import type { Db, Queryable } from '../../ground/database/db.ts';
import { plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { conditionsOf } from '../../inbox/lists/filters.ts';
import { requireNamed } from '../../inbox/lists/named.ts';
import { filterSchemas } from '../../inbox/lists/schema.ts';
import { catchUp, isBehind, isFilled, noteReader, readsMax } from './catch-up.ts';
import { type Counted, type Span, spanBefore } from './figures.ts';
import type { GroupsQuery, Interval, OverviewQuery, ReportQuery } from './schema.ts';

/** How much of each kind may have happened in a report. More takes longer than a person waits. */
const rowsMax = 200_000;
/** The same where the ticket of each is looked at. It takes longer, but a month of a large workspace answers. */
const joinedRowsMax = 100_000;
const yearsMax = 2;
/** Two years of days. */
const intervalsMax = 800;
const hoursOf: Record<Interval, number> = { hour: 1, day: 24, week: 168, month: 672 };
/** For how long a request reads older tickets before it answers with what there is. */
const patienceMs = 1_500;
const hourMs = 3_600_000;

export type Asked = Counted & { timeZone: string; isComplete: boolean };

/**
 * Checks what a report is asked for, and brings its figures up to date. Throws 400 for a span or filter that is none,
 * and 409 `report.too_wide` or `report.too_fine`.
 */
export async function prepare(
  db: Db,
  actor: Actor,
  query: ReportQuery | OverviewQuery | GroupsQuery,
  now: Date,
): Promise<Asked> {
  const { workspaceId } = actor;
  const { from: _from, to: _to, timeZone = 'UTC', clock = 'calendar', ...filters } = query;
  const span = spanOf(query);
  await requireNamed(db, actor, filters, {}, 'query');
  await noteReader(db, workspaceId, now);
  const until = performance.now() + patienceMs;
  let read = 0;
  if (await isBehind(db, workspaceId, now))
    do read = await catchUp(db, workspaceId);
    while (read > 0 && performance.now() < until);
  const conditions = await countedTickets(db, actor, filters, now);
  const counted = { workspaceId, conditions, span, clock };
  await refuseTooWide(db, counted, query);
  const isComplete = read < readsMax && (await isFilled(db, workspaceId));
  return { ...counted, timeZone, isComplete };
}

/**
 * Tickets count that the actor sees, but no spam, no trash and none that was merged. Undefined: all that have figures,
 * because these have none.
 */
async function countedTickets(db: Queryable, actor: Actor, query: object, now: Date): Promise<Sql[] | undefined> {
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => name in filterSchemas));
  if (actor.sight === everything && Object.keys(filters).length === 0) return undefined;
  const conditions = await conditionsOf(db, actor, { ...filters, archived: 'any', snoozed: 'any' }, now);
  return [...conditions, sql`t.merged_into_id is null`];
}

function spanOf({ from, to, timeZone = 'UTC', interval }: ReportQuery & { interval?: Interval }): Span {
  const [begin, end] = [new Date(from), new Date(to)];
  if (!(begin < end)) throw invalidRequest({ path: 'query.to', key: 'not_after_from' });
  const latest = new Date(begin);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  latest.setUTCDate(latest.getUTCDate() + 1);
  if (end > latest) throw new AppError('report.too_wide', { narrowBy: 'time' });
  if (!isTimeZone(timeZone)) throw invalidRequest({ path: 'query.timeZone', key: 'not_a_time_zone' });
  if (interval !== undefined && end.getTime() - begin.getTime() > intervalsMax * hoursOf[interval] * hourMs)
    throw new AppError('report.too_fine', { narrowBy: 'interval' });
  return { from: begin.toISOString(), to: end.toISOString() };
}

/** An offset is none, because PostgreSQL reads its sign the other way round. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

async function refuseTooWide(
  db: Queryable,
  { workspaceId, conditions, span }: Counted,
  query: ReportQuery | OverviewQuery | GroupsQuery,
): Promise<void> {
  // A list of tickets is sent while it is read.
  const isList = !('interval' in query || 'by' in query);
  const readsTickets = conditions !== undefined || ('by' in query && query.by !== 'member');
  // An overview counts the span before too.
  const [{ from }, spans] = 'interval' in query ? [spanBefore(span), 2] : [span, 1];
  const { to } = span;
  const most = spans * (readsTickets && !isList ? joinedRowsMax : rowsMax);
  const { isTooWide } = await db.one<{ isTooWide: boolean }>(
    plannedAnew(sql`
      select exists (
          select from ticket_metrics m
          where m.workspace_id = ${workspaceId} and m.created_at >= ${from} and m.created_at < ${to}
          offset ${most})
        or exists (
          select from ticket_responses r
          where r.workspace_id = ${workspaceId} and r.responded_at >= ${from} and r.responded_at < ${to}
          offset ${most})
        or exists (
          select from ticket_metrics m
          where m.workspace_id = ${workspaceId} and m.resolved_at >= ${from} and m.resolved_at < ${to}
          offset ${most})
        or exists (
          select from ticket_metrics m
          where m.workspace_id = ${workspaceId} and m.is_reopened and m.turned_at >= ${from}
          offset ${most}) as "isTooWide"`),
  );
  if (isTooWide) throw new AppError('report.too_wide', { narrowBy: 'time' });
}
