import type { Actor } from '../../ground/catalog/actor.ts';
import type { Db, Queryable } from '../../ground/database/db.ts';
import { plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { conditionsOf } from '../../inbox/lists/filters.ts';
import { requireNamed } from '../../inbox/lists/named.ts';
import { catchUp, isFilled, noteReader, readsMax } from './catch-up.ts';
import { type Counted, type Span, spanBefore } from './figures.ts';
import type { ReportQuery } from './schema.ts';

/** Rows that a report may read. More take longer than a person waits. */
const rowsMax = 200_000;
const yearsMax = 2;
/** For how long a request reads older tickets before it answers with what there is. */
const patienceMs = 1_500;

export type Asked = Counted & { timeZone: string; isComplete: boolean };

/**
 * Checks what a report is asked for, and brings its figures up to date. Throws 400 for a span or filter that is none,
 * and 409 `report.too_wide`.
 */
export async function prepare(db: Db, actor: Actor, query: ReportQuery, now: Date): Promise<Asked> {
  const { workspaceId } = actor;
  const { from: _from, to: _to, timeZone = 'UTC', clock = 'calendar', ...filters } = query;
  const span = spanOf(query);
  await requireNamed(db, actor, filters, {}, 'query');
  await noteReader(db, workspaceId, now);
  const until = performance.now() + patienceMs;
  let read: number;
  do read = await catchUp(db, workspaceId);
  while (read > 0 && performance.now() < until);
  const conditions = await countedTickets(db, actor, filters, now);
  await refuseTooWide(db, actor, span);
  // An overview counts the span before too.
  if ('interval' in query) await refuseTooWide(db, actor, spanBefore(span));
  const isComplete = read < readsMax && (await isFilled(db, workspaceId));
  return { workspaceId, conditions, span, timeZone, clock, isComplete };
}

/** Tickets count that the actor sees, but no spam, no trash and none that was merged. */
async function countedTickets(
  db: Queryable,
  actor: Actor,
  filters: Omit<ReportQuery, 'from' | 'to' | 'timeZone' | 'clock'>,
  now: Date,
): Promise<Sql[]> {
  const conditions = await conditionsOf(db, actor, { ...filters, archived: 'any', snoozed: 'any' }, now);
  return [...conditions, sql`t.merged_into_id is null`];
}

function spanOf({ from, to, timeZone = 'UTC' }: ReportQuery): Span {
  const [begin, end] = [new Date(from), new Date(to)];
  if (!(begin < end)) throw invalidRequest({ path: 'query.to', key: 'not_after_from' });
  const latest = new Date(begin);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsMax);
  latest.setUTCDate(latest.getUTCDate() + 1);
  if (end > latest) throw new AppError('report.too_wide', { narrowBy: 'time' });
  if (!isTimeZone(timeZone)) throw invalidRequest({ path: 'query.timeZone', key: 'not_a_time_zone' });
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

async function refuseTooWide(db: Queryable, actor: Actor, { from, to }: Span): Promise<void> {
  const { workspaceId } = actor;
  const counted = (rows: Sql) => sql`(select count(*) from (${rows} limit ${rowsMax + 1}) counted)`;
  const { rows } = await db.one<{ rows: number }>(
    plannedAnew(sql`
      select greatest(
        ${counted(sql`
          select from tickets t
          where t.workspace_id = ${workspaceId} and t.created_at >= ${from} and t.created_at < ${to}
            and ${visible(actor, 't')}`)},
        ${counted(sql`
          select from ticket_responses r
          where r.workspace_id = ${workspaceId} and r.responded_at >= ${from} and r.responded_at < ${to}`)},
        ${counted(sql`
          select from ticket_metrics m where m.workspace_id = ${workspaceId} and m.turned_at >= ${from}`)}
      )::integer as rows`),
  );
  if (rows > rowsMax) throw new AppError('report.too_wide', { narrowBy: 'time' });
}
