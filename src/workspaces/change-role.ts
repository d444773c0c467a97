import type { Actor } from '../catalog/actor.ts';
import { type Role, roleMay } from '../catalog/permissions.ts';
import { AppError } from '../lib/errors.ts';
import type { UserId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { getMember } from './queries.ts';
import type { Member } from './schema.ts';

export type ChangeRole = { userId: UserId; role: Role };

type Standing = { userId: UserId; role: Role; isOnlyOwner: boolean };

/**
 * Gives a member another role, from the next request on. Only owners make and unmake owners, and one owner stays:
 * 409 `member.last_owner`. Someone who is no member: 404 `member.not_found`.
 */
export async function changeRole(tx: Tx, actor: Actor, { userId, role }: ChangeRole): Promise<Member> {
  const { workspaceId } = actor;
  const [, standings] = await together([
    // Role changes of one workspace take turns: two owners who unmake each other would both find an owner left.
    tx.run(sql`select 1 from workspaces where id = ${workspaceId} for no key update`),
    tx.rows<Standing>(sql`
      select m.user_id as "userId", m.role,
        m.role = 'owner' and not exists (
          select 1 from members o
          where o.workspace_id = ${workspaceId} and o.role = 'owner' and o.user_id <> m.user_id
        ) as "isOnlyOwner"
      from members m
      where m.workspace_id = ${workspaceId} and m.user_id in (${actor.userId}, ${userId})`),
  ]);
  // As of now: while this request waited for its turn the caller may have been unmade.
  const callerRole = standings.find((standing) => standing.userId === actor.userId)?.role;
  if (callerRole === undefined) throw new AppError('workspace.forbidden');
  if (!roleMay(callerRole, 'member.manage')) throw new AppError('auth.role_insufficient');
  if (role === 'owner' && callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  const member = standings.find((standing) => standing.userId === userId);
  if (member === undefined) throw new AppError('member.not_found');
  if (member.role === 'owner' && callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  if (member.isOnlyOwner && role !== 'owner') throw new AppError('member.last_owner');
  await tx.run(sql`update members set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`);
  return getMember(tx, { workspaceId, userId });
}
