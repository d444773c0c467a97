import { between } from '../../automation/calendars/open-time.ts';
import { readCalendar } from '../../automation/calendars/queries.ts';
import type { Queryable } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { BusinessTime } from './metrics.ts';
import { readReportSettings } from './settings.ts';

/** How much of a time falls into the hours of the workspace's reports. Null: it has no calendar for them. */
export async function readBusinessTime(db: Queryable, workspaceId: WorkspaceId): Promise<BusinessTime | null> {
  const { calendarId } = await readReportSettings(db, workspaceId);
  const calendar = calendarId === null ? undefined : await readCalendar(db, workspaceId, calendarId);
  return calendar === undefined ? null : (from, to) => between(calendar, from, to);
}
