import type { Actor } from '../catalog/actor.ts';
import { type Role, roleMay } from '../catalog/permissions.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';

/** Changes of a workspace's people, keys and settings take turns until the commit. */
export async function takeTurn(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select 1 from workspaces where id = ${workspaceId} for no key update`);
}

type Standing = { userId: UserId; role: Role; isOnlyOwner: boolean };

/**
 * What the caller and a member are, as of now: while this request waited for its turn the caller may have been unmade.
 * Throws 403 when the caller is no member any more. It is the members' turn until the commit: two owners who unmake each
 * other would both find an owner left.
 */
export async function standingsOf(
  tx: Tx,
  { workspaceId, userId: callerId }: Actor,
  userId: UserId,
): Promise<{ callerRole: Role; member: Standing | undefined }> {
  const [, standings] = await together([
    takeTurn(tx, workspaceId),
    tx.rows<Standing>(sql`
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

/** The member, if the caller may change what they are. Only owners make and unmake owners. Throws 403 or 404. */
export function manageable({ callerRole, member }: Awaited<ReturnType<typeof standingsOf>>): Standing {
  if (!roleMay(callerRole, 'member.manage')) throw new AppError('auth.role_insufficient');
  if (member === undefined) throw new AppError('member.not_found');
  if (member.role === 'owner' && callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  return member;
}
