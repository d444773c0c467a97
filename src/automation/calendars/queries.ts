import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { CalendarId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Calendar } from './schema.ts';

/** The statement must name `calendars` as `c`. */
function calendarColumns(workspaceId: WorkspaceId): Sql {
  return sql`c.id, c.name, c.time_zone as "timeZone", c.hours, c.version, c.created_at as "createdAt",
    c.updated_at as "updatedAt", coalesce((
      select json_agg(json_build_object('date', d.date, 'name', d.name, 'hours', d.hours) order by d.date)
      from calendar_days d
      where d.workspace_id = ${workspaceId} and d.calendar_id = c.id
    ), '[]') as days`;
}

/** All calendars of the workspace by their names. They are few, so the list has no pages. */
export function listCalendars(db: Queryable, workspaceId: WorkspaceId): Promise<Calendar[]> {
  return db.rows<Calendar>(sql`
    select ${calendarColumns(workspaceId)}
    from calendars c
    where c.workspace_id = ${workspaceId}
    order by c.name_key, c.id`);
}

export function readCalendar(db: Queryable, workspaceId: WorkspaceId, id: CalendarId): Promise<Calendar | undefined> {
  return db.maybe<Calendar>(sql`
    select ${calendarColumns(workspaceId)}
    from calendars c
    where c.workspace_id = ${workspaceId} and c.id = ${id}`);
}

/** Throws 404. */
export async function getCalendar(db: Queryable, workspaceId: WorkspaceId, id: CalendarId): Promise<Calendar> {
  const calendar = await readCalendar(db, workspaceId, id);
  if (calendar === undefined) throw new AppError('calendar.not_found');
  return calendar;
}
