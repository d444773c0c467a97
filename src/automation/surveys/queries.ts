import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Survey } from './schema.ts';

/** The columns of `surveys s`. */
const surveyColumns = sql`s.id, s.mailbox_id as "mailboxId", s.ask, s.scale, s.question, s.language,
  s.delay_minutes as "delayMinutes", s.every_days as "everyDays", s.is_active as "isActive", s.version,
  s.created_at as "createdAt", s.updated_at as "updatedAt"`;

/** In the order in which they were made. They are few, so the list has no pages. */
export function listSurveys(db: Queryable, workspaceId: WorkspaceId): Promise<Survey[]> {
  return db.rows<Survey>(sql`
    select ${surveyColumns} from surveys s where s.workspace_id = ${workspaceId} order by s.created_at, s.id`);
}

/** Throws 404. */
export async function getSurvey(
  db: Queryable,
  { workspaceId, surveyId }: { workspaceId: WorkspaceId; surveyId: string },
): Promise<Survey> {
  const found = await db.maybe<Survey>(sql`
    select ${surveyColumns} from surveys s where s.workspace_id = ${workspaceId} and s.id = ${surveyId}`);
  if (found === undefined) throw new AppError('survey.not_found');
  return found;
}
