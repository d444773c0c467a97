import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TeamId, UserId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { audit } from '../audit/audit.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { getTeam } from './queries.ts';
import { type TeamWithMembers, teamMembersMax } from './schema.ts';

type Membership = { teamId: TeamId; userId: UserId };

/**
 * Puts a member into a team, or changes whether they lead it. Those who lead the team are told of an admin who puts
 * themselves into it. Throws 404 and 409.
 */
export async function putTeamMember(
  tx: Tx,
  actor: Actor,
  { teamId, userId, isLead = false }: Membership & { isLead?: boolean },
): Promise<TeamWithMembers> {
  const { workspaceId } = actor;
  await lockWorkspace(tx, workspaceId);
  const team = await getTeam(tx, actor, teamId);
  const before = team.members.find((member) => member.userId === userId);
  if (before?.isLead === isLead) return team;
  if (before === undefined) {
    if (team.members.length >= teamMembersMax) throw new AppError('team.too_many_members', { max: teamMembersMax });
    const added = await addToTeam(tx, actor, { team, userIds: [userId], isLead });
    if (added === 0) throw new AppError('member.not_found');
    if (userId === actor.userId && actor.role === 'admin')
      await enqueue(tx, 'team.tell', { workspaceId, teamId, userId });
  } else {
    tx.revokes();
    await together([
      tx.run(sql`
        update team_members set is_lead = ${isLead}
        where workspace_id = ${workspaceId} and team_id = ${teamId} and user_id = ${userId}`),
      audit(tx, actor, {
        ...{ type: 'team.member_changed', subjectId: teamId },
        data: { name: team.name, userId, isLead },
      }),
    ]);
  }
  return getTeam(tx, actor, teamId);
}

/** @returns how many of them are members of the workspace, and in the team now */
export async function addToTeam(
  tx: Tx,
  actor: Actor,
  { team, userIds, isLead = false }: { team: { id: TeamId; name: string }; userIds: UserId[]; isLead?: boolean },
): Promise<number> {
  const { workspaceId } = actor;
  tx.revokes();
  const added = await tx.rows<{ userId: UserId }>(sql`
    insert into team_members (workspace_id, team_id, user_id, is_lead, created_at)
    select m.workspace_id, ${team.id}::uuid, m.user_id, ${isLead}::boolean, ${tx.now}::timestamptz
    from members m
    where m.workspace_id = ${workspaceId} and m.user_id = any(${userIds}::uuid[]) and m.removed_at is null
    order by m.user_id
    for key share of m
    returning user_id as "userId"`);
  await together(
    added.map(({ userId }) =>
      audit(tx, actor, {
        ...{ type: 'team.member_added', subjectId: team.id },
        data: { name: team.name, userId, isLead },
      }),
    ),
  );
  return added.length;
}

/** Takes a member out of a team. What the team hides, they see no more from the commit on. Throws 404. */
export async function removeTeamMember(tx: Tx, actor: Actor, { teamId, userId }: Membership): Promise<void> {
  const { workspaceId } = actor;
  await lockWorkspace(tx, workspaceId);
  const { name } = await getTeam(tx, actor, teamId);
  tx.revokes();
  const removed = await tx.run(sql`
    delete from team_members where workspace_id = ${workspaceId} and team_id = ${teamId} and user_id = ${userId}`);
  if (removed === 0) throw new AppError('member.not_found');
  await audit(tx, actor, { type: 'team.member_removed', subjectId: teamId, data: { name, userId } });
}
