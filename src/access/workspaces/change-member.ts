import type { Actor } from '../../ground/catalog/actor.ts';
import { type Role, roleMay } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { audit } from '../audit/audit.ts';
import { manageable, standingsOf } from './member-standing.ts';
import { getMember, type Membership } from './queries.ts';
import type { Member } from './schema.ts';

export type ChangeMember = { userId: UserId; role?: Role; access?: Member['access'] };

/**
 * Changes a member's role and access from the next request on. Revokes their pending invitations that exceed the new
 * role: otherwise they could invite themselves back into the old role. Only owners change owners. Throws 409
 * `member.last_owner` for the last owner, and 404 `member.not_found` for a stranger.
 */
export async function changeMember(tx: Tx, actor: Actor, { userId, role, access }: ChangeMember): Promise<Member> {
  const { workspaceId } = actor;
  const standings = await standingsOf(tx, actor, userId);
  if (role === 'owner' && standings.callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  const member = manageable(standings);
  if (member.isOnlyOwner && role !== undefined && role !== 'owner') throw new AppError('member.last_owner');
  if (role !== undefined && member.role !== role) {
    tx.revokes();
    await together([
      tx.run(sql`update members set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`),
      revokeInvitesBeyond(tx, { workspaceId, userId, role }),
      audit(tx, actor, { type: 'member.role_changed', subjectId: userId, data: { from: member.role, to: role } }),
    ]);
  }
  const before = await getMember(tx, { workspaceId, userId });
  if (access === undefined || access === before.access) return before;
  tx.revokes();
  await together([
    tx.run(sql`update members set access = ${access} where workspace_id = ${workspaceId} and user_id = ${userId}`),
    audit(tx, actor, { type: 'member.access_changed', subjectId: userId, data: { from: before.access, to: access } }),
  ]);
  return { ...before, access };
}

/** Revokes a member's pending invitations that the new role could not issue. */
async function revokeInvitesBeyond(tx: Tx, { workspaceId, userId, role }: Membership & { role: Role }): Promise<void> {
  if (role === 'owner') return;
  const mayInvite = roleMay(role, 'member.manage');
  await tx.run(sql`
    update invites set revoked_at = ${tx.now}
    where workspace_id = ${workspaceId} and invited_by = ${userId} and accepted_at is null and revoked_at is null
      and (role = 'owner' or not ${mayInvite}::boolean)`);
}
