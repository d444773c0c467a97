import { between } from '../../automation/calendars/open-time.ts';
import { readCalendar } from '../../automation/calendars/queries.ts';
import type { Queryable } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { BusinessTime } from './metrics.ts';
import { readReportSettings } from './settings.ts';

/** The hours of a workspace's reports, and a mark that changes with them. Both are null for one without a calendar. */
export type BusinessHours = { mark: string | null; businessTime: BusinessTime | null };

export async function readBusinessHours(db: Queryable, workspaceId: WorkspaceId): Promise<BusinessHours> {
  const { calendarId } = await readReportSettings(db, workspaceId);
  const calendar = calendarId === null ? undefined : await readCalendar(db, workspaceId, calendarId);
  if (calendar === undefined) return { mark: null, businessTime: null };
  return { mark: `${calendar.id} ${calendar.version}`, businessTime: (from, to) => between(calendar, from, to) };
}
