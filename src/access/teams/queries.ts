import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TeamId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Team, TeamWithMembers } from './schema.ts';

/** Members who are leaving are in no team any more. The statement must name `teams` as `t`. */
function teamColumns({ workspaceId, userId }: Actor): Sql {
  return sql`t.id, t.name, t.visibility, t.position, t.archived_at as "archivedAt", t.created_at as "createdAt",
    (
      select count(*)
      from team_members o
      join members m on m.workspace_id = ${workspaceId} and m.user_id = o.user_id and m.removed_at is null
      where o.workspace_id = ${workspaceId} and o.team_id = t.id
    ) as "memberCount",
    exists (
      select from team_members o
      where o.workspace_id = ${workspaceId} and o.team_id = t.id and o.user_id = ${userId}
    ) as "isMember"`;
}

/** All teams of the workspace by their place, the archived ones too. They are few, so the list has no pages. */
export function listTeams(db: Queryable, actor: Actor): Promise<Team[]> {
  return db.rows<Team>(sql`
    select ${teamColumns(actor)}
    from teams t
    where t.workspace_id = ${actor.workspaceId}
    order by t.position, t.id`);
}

/** The ids of the teams that take tickets, by their place. */
export async function listTeamIds(db: Queryable, workspaceId: WorkspaceId): Promise<TeamId[]> {
  const rows = await db.rows<{ id: TeamId }>(sql`
    select id from teams where workspace_id = ${workspaceId} and archived_at is null order by position, id`);
  return rows.map(({ id }) => id);
}

/** Throws 404. */
export async function getTeam(db: Queryable, actor: Actor, teamId: TeamId): Promise<TeamWithMembers> {
  const { workspaceId } = actor;
  const team = await db.maybe<TeamWithMembers>(sql`
    select ${teamColumns(actor)}, coalesce((
        select json_agg(json_build_object('userId', o.user_id, 'isLead', o.is_lead) order by o.user_id)
        from team_members o
        join members m on m.workspace_id = ${workspaceId} and m.user_id = o.user_id and m.removed_at is null
        where o.workspace_id = ${workspaceId} and o.team_id = t.id
      ), '[]') as members
    from teams t
    where t.workspace_id = ${workspaceId} and t.id = ${teamId}`);
  if (team === undefined) throw new AppError('team.not_found');
  return team;
}

/** The name of a team and of somebody in it; undefined once they are not. */
export async function findTeamNameOf(
  db: Queryable,
  workspaceId: WorkspaceId,
  { teamId, userId }: { teamId: TeamId; userId: UserId },
): Promise<{ name: string; memberName: string } | undefined> {
  return db.maybe<{ name: string; memberName: string }>(sql`
    select t.name, coalesce(u.name, u.email) as "memberName"
    from teams t
    join team_members o on o.workspace_id = ${workspaceId} and o.team_id = t.id and o.user_id = ${userId}
    join users u on u.id = o.user_id
    where t.workspace_id = ${workspaceId} and t.id = ${teamId}`);
}

/** Whether tickets may move to the team. In a transaction it stays so until the commit. */
export async function takesTickets(db: Queryable, workspaceId: WorkspaceId, teamId: TeamId): Promise<boolean> {
  const team = await db.maybe(sql`
    select from teams
    where workspace_id = ${workspaceId} and id = ${teamId} and archived_at is null
    for share`);
  return team !== undefined;
}

/** Throws 400 if the team is archived or of another workspace. */
export async function requireTeam(
  db: Queryable,
  workspaceId: WorkspaceId,
  teamId: TeamId,
  path = 'body.teamId',
): Promise<void> {
  if (!(await takesTickets(db, workspaceId, teamId))) throw invalidRequest({ path, key: 'not_a_team' });
}
