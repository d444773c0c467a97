import { audit } from '../../access/audit/audit.ts';
import { refuseInUse } from '../../access/uses/refuse-in-use.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { CalendarId, WorkspaceId } from '../../ground/lib/ids.ts';
import { nameKey } from '../../ground/lib/text.ts';
import { orderedHours, refuseNeverOpen } from './hours.ts';
import { getCalendar } from './queries.ts';
import { type Calendar, type CalendarChange, type CalendarInput, calendarsMax } from './schema.ts';

/** Throws 400 for hours that make no sense, and 409 for a taken name and for too many calendars. */
export async function createCalendar(tx: Tx, actor: Actor, { name, ...input }: CalendarInput): Promise<Calendar> {
  const { workspaceId } = actor;
  const hours = orderedHours({ days: [], ...input });
  refuseNeverOpen(hours, tx.now);
  const id = tx.newId<CalendarId>();
  const others = await lockOthers(tx, workspaceId, id);
  if (others.length >= calendarsMax) throw new AppError('calendar.too_many', { max: calendarsMax });
  refuseTaken(others, name);
  await together([
    tx.run(sql`
      insert into calendars (workspace_id, id, name, name_key, time_zone, hours, version, created_at, updated_at)
      values (${workspaceId}, ${id}, ${name}, ${nameKey(name)}, ${hours.timeZone}, ${JSON.stringify(hours.hours)}, 1,
        ${tx.now}, ${tx.now})`),
    insertDays(tx, workspaceId, id, hours.days),
    audit(tx, actor, { type: 'calendar.created', subjectId: id, data: { name } }),
  ]);
  return getCalendar(tx, workspaceId, id);
}

/** Changes the given fields. Throws 404, 412, and otherwise as `createCalendar`. */
export async function updateCalendar(
  tx: Tx,
  actor: Actor,
  { calendarId, ifMatch, ...input }: CalendarChange & { calendarId: CalendarId; ifMatch: string[] | undefined },
): Promise<Calendar> {
  const { workspaceId } = actor;
  const others = await lockOthers(tx, workspaceId, calendarId);
  const before = await getCalendar(tx, workspaceId, calendarId);
  if (ifMatch !== undefined && !ifMatch.includes(`"${before.version}"`))
    throw new AppError('calendar.version_mismatch', { currentVersion: before.version });
  const { name, ...given } = { ...contentOf(before), ...input };
  const after = { name, ...orderedHours(given) };
  const changed = changedFields(contentOf(before), after);
  if (changed.length === 0) return before;
  refuseTaken(others, name);
  // The last special day of a calendar may be over: it can get another name all the same.
  if (changed.some((field) => field !== 'name')) refuseNeverOpen(after, tx.now);
  await together([
    tx.run(sql`
      update calendars
      set name = ${name}, name_key = ${nameKey(name)}, time_zone = ${after.timeZone},
        hours = ${JSON.stringify(after.hours)}, version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${calendarId}`),
    changed.includes('days') &&
      tx.run(sql`delete from calendar_days where workspace_id = ${workspaceId} and calendar_id = ${calendarId}`),
    changed.includes('days') && insertDays(tx, workspaceId, calendarId, after.days),
    audit(tx, actor, { type: 'calendar.changed', subjectId: calendarId, data: { name, changed } }),
  ]);
  return getCalendar(tx, workspaceId, calendarId);
}

/** Throws 404, and 409 while a rule or an automatic reply names it. */
export async function deleteCalendar(tx: Tx, actor: Actor, calendarId: CalendarId): Promise<void> {
  const { workspaceId } = actor;
  await refuseInUse(tx, workspaceId, { kind: 'calendar', id: calendarId });
  const { name } = await getCalendar(tx, workspaceId, calendarId);
  await together([
    tx.run(sql`delete from calendars where workspace_id = ${workspaceId} and id = ${calendarId}`),
    audit(tx, actor, { type: 'calendar.deleted', subjectId: calendarId, data: { name } }),
  ]);
}

function contentOf({ name, timeZone, hours, days }: Calendar) {
  return { name, timeZone, hours, days };
}

/** Changes of calendars take turns. @returns the folded names of the others */
async function lockOthers(tx: Tx, workspaceId: WorkspaceId, id: CalendarId): Promise<string[]> {
  const [, others] = await together([
    lockWorkspace(tx, workspaceId),
    tx.rows<{ nameKey: string }>(sql`
      select name_key as "nameKey" from calendars where workspace_id = ${workspaceId} and id <> ${id}`),
  ]);
  return others.map((other) => other.nameKey);
}

function refuseTaken(others: readonly string[], name: string): void {
  if (others.includes(nameKey(name))) throw new AppError('calendar.name_taken');
}

async function insertDays(tx: Tx, workspaceId: WorkspaceId, id: CalendarId, days: Calendar['days']): Promise<void> {
  if (days.length === 0) return;
  await tx.run(sql`
    insert into calendar_days (workspace_id, calendar_id, date, name, hours)
    select ${workspaceId}, ${id}, d.date, d.name, d.hours
    from json_populate_recordset(null::calendar_days, ${JSON.stringify(days)}::json) d`);
}
