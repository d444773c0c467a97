import type { Actor } from '../../ground/catalog/actor.ts';
import { type Permission, type Role, roleMay } from '../../ground/catalog/permissions.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../ground/database/sight.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';

/** The member for whom work goes on after their request; undefined if they may no longer do it. */
export async function requesterOf(
  db: Queryable,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  permission: Permission,
): Promise<Actor | undefined> {
  const member = await db.maybe<{ role: Role; hidden: Hidden }>(sql`
    select m.role, ${hiddenFrom(workspaceId)}
    from members m
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.removed_at is null`);
  if (member === undefined || !roleMay(member.role, permission)) return undefined;
  const { role, hidden } = member;
  return { userId, workspaceId, role, keyId: null, sight: sightOf({ userId, hidden }) } as Actor;
}
