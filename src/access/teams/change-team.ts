import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TeamId, WorkspaceId } from '../../ground/lib/ids.ts';
import { nameKey } from '../../ground/lib/text.ts';
import { audit } from '../audit/audit.ts';
import { refuseInUse } from '../uses/refuse-in-use.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { addToTeam } from './change-membership.ts';
import { getTeam } from './queries.ts';
import { type CreateTeam, restrictedTeamsMax, type TeamWithMembers, teamsMax, type UpdateTeam } from './schema.ts';

type Known = { id: TeamId; nameKey: string; visibility: TeamWithMembers['visibility'] };

/** Makes a team at the end of the list. Throws 409 for a taken name and for too many teams. */
export async function createTeam(
  tx: Tx,
  actor: Actor,
  { name, visibility = 'workspace', memberIds = [] }: CreateTeam,
): Promise<TeamWithMembers> {
  const { workspaceId } = actor;
  const teams = await lockTeams(tx, workspaceId);
  if (teams.length >= teamsMax) throw new AppError('team.too_many', { max: teamsMax });
  const id = tx.newId<TeamId>();
  refuseTaken(teams, { id, name });
  if (visibility === 'members') refuseTooManyRestricted(teams);
  tx.revokes();
  await together([
    tx.run(sql`
      insert into teams (workspace_id, id, name, name_key, visibility, position, created_at)
      values (${workspaceId}, ${id}, ${name}, ${nameKey(name)}, ${visibility}, ${teams.length}, ${tx.now})`),
    audit(tx, actor, { type: 'team.created', subjectId: id, data: { name, visibility } }),
  ]);
  const userIds = [...new Set(memberIds)];
  const added = userIds.length === 0 ? 0 : await addToTeam(tx, actor, { team: { id, name }, userIds });
  if (added < userIds.length) throw invalidRequest({ path: 'body.memberIds', key: 'not_a_member' });
  return getTeam(tx, actor, id);
}

/**
 * Changes the given fields. Throws 404, and 409 as `createTeam`, or for archiving a team in which tickets begin or that
 * rules name.
 */
export async function updateTeam(
  tx: Tx,
  actor: Actor,
  { teamId, position, archived, ...input }: UpdateTeam & { teamId: TeamId },
): Promise<TeamWithMembers> {
  const { workspaceId } = actor;
  const teams = await lockTeams(tx, workspaceId);
  const { name, visibility, archivedAt, ...team } = await getTeam(tx, actor, teamId);
  const before = { name, visibility, archivedAt };
  const after = {
    ...{ ...before, ...input },
    archivedAt: archived === undefined ? archivedAt : archived ? (archivedAt ?? tx.now.toISOString()) : null,
  };
  refuseTaken(teams, { id: teamId, name: after.name });
  if (visibility !== 'members' && after.visibility === 'members') refuseTooManyRestricted(teams);
  if (archivedAt === null && after.archivedAt !== null) {
    await refuseInUse(tx, workspaceId, { kind: 'team', id: teamId });
    await endBeginning(tx, workspaceId, teamId);
  }
  const changed: string[] = changedFields(before, after);
  const isMoved = position !== undefined && position !== team.position;
  if (changed.length > 0 || isMoved) tx.revokes();
  await together([
    changed.length > 0 &&
      tx.run(sql`
        update teams
        set name = ${after.name}, name_key = ${nameKey(after.name)}, visibility = ${after.visibility},
          archived_at = ${after.archivedAt}
        where workspace_id = ${workspaceId} and id = ${teamId}`),
    isMoved && movePlaces(tx, workspaceId, { teams, teamId, position }),
    (changed.length > 0 || isMoved) &&
      audit(tx, actor, {
        type: 'team.changed',
        subjectId: teamId,
        data: {
          ...{ name: after.name, visibility: after.visibility },
          changed: isMoved ? [...changed, 'position'] : changed,
        },
      }),
  ]);
  return getTeam(tx, actor, teamId);
}

/** Deletes a team that nothing names. Throws 404, and 409 `team.in_use` for connected mailboxes and tickets. */
export async function deleteTeam(tx: Tx, actor: Actor, teamId: TeamId): Promise<void> {
  const { workspaceId } = actor;
  const teams = await lockTeams(tx, workspaceId);
  const { name } = await getTeam(tx, actor, teamId);
  await refuseInUse(tx, workspaceId, { kind: 'team', id: teamId }, { evenByKeys: true });
  await endBeginning(tx, workspaceId, teamId);
  const ticket = await tx.maybe(sql`
    select from tickets where workspace_id = ${workspaceId} and team_id = ${teamId} limit 1`);
  if (ticket !== undefined) throw new AppError('team.in_use', { mailboxIds: [], hasTickets: true });
  tx.revokes();
  await together([
    tx.run(sql`delete from teams where workspace_id = ${workspaceId} and id = ${teamId}`),
    movePlaces(tx, workspaceId, { teams: teams.filter(({ id }) => id !== teamId) }),
    audit(tx, actor, { type: 'team.deleted', subjectId: teamId, data: { name } }),
  ]);
}

/** Changes of teams take turns, so that together they exceed no limit. @returns the teams by their place */
async function lockTeams(tx: Tx, workspaceId: WorkspaceId): Promise<Known[]> {
  const [, teams] = await together([
    lockWorkspace(tx, workspaceId),
    tx.rows<Known>(sql`
      select id, name_key as "nameKey", visibility from teams
      where workspace_id = ${workspaceId}
      order by position, id`),
  ]);
  return teams;
}

function refuseTaken(teams: readonly Known[], { id, name }: { id: TeamId; name: string }): void {
  const key = nameKey(name);
  if (teams.some((team) => team.id !== id && team.nameKey === key)) throw new AppError('team.name_taken');
}

function refuseTooManyRestricted(teams: readonly Known[]): void {
  const restricted = teams.filter(({ visibility }) => visibility === 'members');
  if (restricted.length >= restrictedTeamsMax)
    throw new AppError('team.too_many_restricted', { max: restrictedTeamsMax });
}

/**
 * Lets no ticket begin in the team any more. Throws 409 while connected mailboxes name it; disconnected ones forget it.
 * First waits for what moves to the team, which holds its row.
 */
async function endBeginning(tx: Tx, workspaceId: WorkspaceId, teamId: TeamId): Promise<void> {
  await tx.run(sql`select from teams where workspace_id = ${workspaceId} and id = ${teamId} for update`);
  const mailboxes = await tx.rows<{ id: string }>(sql`
    select id from mailboxes
    where workspace_id = ${workspaceId} and team_id = ${teamId} and status <> 'disconnected'
    order by id`);
  if (mailboxes.length > 0) throw new AppError('team.in_use', { mailboxIds: mailboxes.map(({ id }) => id) });
  await tx.run(sql`update mailboxes set team_id = null where workspace_id = ${workspaceId} and team_id = ${teamId}`);
}

type Places = { teams: readonly Known[]; teamId?: TeamId; position?: number };

/** Numbers the teams from 0 on, with one of them at a new place. */
async function movePlaces(tx: Tx, workspaceId: WorkspaceId, { teams, teamId, position = 0 }: Places): Promise<void> {
  const others = teams.flatMap(({ id }) => (id === teamId ? [] : [id]));
  const placed = teamId === undefined ? others : others.toSpliced(position, 0, teamId);
  tx.revokes();
  await tx.run(sql`
    update teams t set position = p.place - 1
    from unnest(${placed}::uuid[]) with ordinality p (id, place)
    where t.workspace_id = ${workspaceId} and t.id = p.id and t.position <> p.place - 1`);
}
