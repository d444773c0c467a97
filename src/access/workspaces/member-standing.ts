import type { Actor } from '../../ground/catalog/actor.ts';
import { type Role, roleMay } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { lockWorkspace } from './lock-workspace.ts';

type MemberStanding = { userId: UserId; role: Role; isOnlyOwner: boolean };

/**
 * Reads the current roles of the caller and a member under the workspace's lock, which is held until the commit. The
 * caller may have lost their role while this request waited. Without the lock two owners who demote each other would
 * both find another owner left. Throws 403 when the caller is no longer a member.
 */
export async function standingsOf(
  tx: Tx,
  { workspaceId, userId: callerId }: Actor,
  userId: UserId,
): Promise<{ callerRole: Role; member: MemberStanding | undefined }> {
  const [, standings] = await together([
    lockWorkspace(tx, workspaceId),
    tx.rows<MemberStanding>(sql`
      select m.user_id as "userId", m.role,
        m.role = 'owner' and not exists (
          select 1 from members o
          where o.workspace_id = ${workspaceId} and o.role = 'owner' and o.removed_at is null and o.user_id <> m.user_id
        ) as "isOnlyOwner"
      from members m
      where m.workspace_id = ${workspaceId} and m.user_id in (${callerId}, ${userId}) and m.removed_at is null`),
  ]);
  const callerRole = standings.find((standing) => standing.userId === callerId)?.role;
  if (callerRole === undefined) throw new AppError('workspace.forbidden');
  return { callerRole, member: standings.find((standing) => standing.userId === userId) };
}

/** Returns the member if the caller may change them. Only owners change owners. Throws 403 or 404. */
export function manageable({ callerRole, member }: Awaited<ReturnType<typeof standingsOf>>): MemberStanding {
  if (!roleMay(callerRole, 'member.manage')) throw new AppError('auth.role_insufficient');
  if (member === undefined) throw new AppError('member.not_found');
  if (member.role === 'owner' && callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  return member;
}
