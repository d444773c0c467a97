import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { ReportSettings } from './schema.ts';

const untilChosen: ReportSettings = { calendarId: null, showsMembers: true };

export async function readReportSettings(db: Queryable, workspaceId: WorkspaceId): Promise<ReportSettings> {
  const chosen = await db.maybe<ReportSettings>(sql`
    select calendar_id as "calendarId", shows_members as "showsMembers"
    from report_settings where workspace_id = ${workspaceId}`);
  return chosen ?? untilChosen;
}
