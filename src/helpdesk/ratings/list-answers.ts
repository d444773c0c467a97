import { shownMembers } from '../../access/teams/shown-figures.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { SurveyAnswer, SurveyAnswersQuery } from './schema.ts';

const limitDefault = 50;
/** Whether the customer of ask `a` is satisfied. */
export const isGood: Sql = sql`a.score >= case when a.scale = 'two' then 2 when a.scale = 'three' then 3 else 4 end`;

/**
 * Answers to tickets that the actor sees, the last that was asked first. Without `doubt`, those that count. They name
 * the members whose figures the actor sees; 403 `report.members_not_shown` where nobody's are shown.
 */
export async function listSurveyAnswers(
  db: Queryable,
  actor: Actor,
  { limit = limitDefault, cursor, ...query }: SurveyAnswersQuery,
): Promise<Page<SurveyAnswer>> {
  const { workspaceId } = actor;
  const { ticketId, member, team, mailbox, score, good, doubt = false, from, to } = query;
  const members = await shownMembers(db, actor);
  const isShown = (userId: string | null) =>
    members === 'all' || (userId !== null && members !== 'none' && members.has(userId));
  if (member !== undefined && members === 'none') throw new AppError('report.members_not_shown');
  const conditions = [
    cursor !== undefined && sql`a.id < ${readIdCursor(cursor)}`,
    ticketId !== undefined && sql`m.ticket_id = ${ticketId}`,
    member !== undefined && (isShown(member) ? sql`a.user_id = ${member}` : sql`false`),
    team !== undefined && sql`a.team_id = ${team}`,
    mailbox !== undefined && sql`a.mailbox_id = ${mailbox}`,
    score !== undefined && sql`a.score = ${score}`,
    good !== undefined && sql`${isGood} = ${good}`,
    doubt ? sql`a.doubt is not null` : sql`a.doubt is null`,
    from !== undefined && sql`a.answered_at >= ${from}`,
    to !== undefined && sql`a.answered_at < ${to}`,
  ].filter((condition) => condition !== false);
  const rows = await db.rows<SurveyAnswer>(sql`
    select a.id, m.ticket_id as "ticketId", t.ticket_number as "ticketNumber", a.message_id as "messageId",
      a.survey_id as "surveyId", a.contact_id as "contactId", a.user_id as "userId", a.team_id as "teamId",
      a.mailbox_id as "mailboxId", a.scale, a.score, ${isGood} as "isGood", a.comment, a.doubt,
      a.asked_at as "askedAt", a.answered_at as "answeredAt", a.changed_at as "changedAt"
    from survey_asks a
    join messages m on m.workspace_id = ${workspaceId} and m.id = a.message_id
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where a.workspace_id = ${workspaceId} and a.answered_at is not null and a.changed_at is not null
      and t.trashed_at is null and ${visible(actor, 't')} and ${joinSql(conditions, ' and ')}
    order by a.id desc
    limit ${limit + 1}`);
  const named = rows.map((row) => (isShown(row.userId) ? row : { ...row, userId: null }));
  return pageOf(named, limit, ({ id }) => id);
}
