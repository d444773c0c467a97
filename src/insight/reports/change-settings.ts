import { audit } from '../../access/audit/audit.ts';
import { readCalendar } from '../../automation/calendars/queries.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import type { ReportSettings } from './schema.ts';
import { readReportSettings } from './settings.ts';

/** The next report counts all tickets anew by another calendar. Throws 400 for a calendar that does not exist. */
export async function updateReportSettings(
  tx: Tx,
  actor: Actor,
  input: Partial<ReportSettings>,
): Promise<ReportSettings> {
  const { workspaceId } = actor;
  const before = await readReportSettings(tx, workspaceId);
  const after = { ...before, ...input };
  const { calendarId, showsMembers } = after;
  const changed = changedFields(before, after);
  if (changed.length === 0) return before;
  if (calendarId !== null && (await readCalendar(tx, workspaceId, calendarId)) === undefined)
    throw invalidRequest({ path: 'body.calendarId', key: 'not_a_calendar' });
  await tx.run(sql`
    insert into report_settings (workspace_id, calendar_id, shows_members)
    values (${workspaceId}, ${calendarId}, ${showsMembers})
    on conflict (workspace_id) do update set calendar_id = ${calendarId}, shows_members = ${showsMembers}`);
  await audit(tx, actor, { type: 'reports.changed', subjectId: workspaceId, data: { changed } });
  return after;
}
