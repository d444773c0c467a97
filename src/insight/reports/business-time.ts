import { between } from '../../automation/calendars/open-time.ts';
import { readCalendar } from '../../automation/calendars/queries.ts';
import type { Queryable } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { BusinessTime } from './metrics.ts';
import { readReportSettings } from './settings.ts';

/** The hours of a workspace's reports, null without a calendar, and by what figures are made. */
export type BusinessHours = { mark: string; businessTime: BusinessTime | null };

/** Another version has all figures made anew. */
const version = 2;

export async function readBusinessHours(db: Queryable, workspaceId: WorkspaceId): Promise<BusinessHours> {
  const { calendarId } = await readReportSettings(db, workspaceId);
  const calendar = calendarId === null ? undefined : await readCalendar(db, workspaceId, calendarId);
  if (calendar === undefined) return { mark: `${version}`, businessTime: null };
  return {
    mark: `${version} ${calendar.id} ${calendar.version}`,
    businessTime: (from, to) => between(calendar, from, to),
  };
}
