import type { Actor } from '../../ground/catalog/actor.ts';
import { lesserRole, type Permission, type Role, roleMay } from '../../ground/catalog/permissions.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, isNarrowKey, sightOf } from '../../ground/database/sight.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';

type Requester = { workspaceId: WorkspaceId; userId: UserId; keyId?: string | null };
type Found = { role: Role; hidden: Hidden; keyRole: Role | null; isNarrow: boolean };

/**
 * The member for whom work goes on after their request, through the key that asked for it; undefined if they may no
 * longer do it, or the key was revoked.
 */
export async function requesterOf(
  db: Queryable,
  { workspaceId, userId, keyId = null }: Requester,
  permission: Permission,
): Promise<Actor | undefined> {
  const found = await db.maybe<Found>(sql`
    select m.role, ${hiddenFrom(workspaceId)}, k.role as "keyRole", ${isNarrowKey}
    from members m
    left join api_keys k on k.workspace_id = ${workspaceId} and k.id = ${keyId}::uuid and k.user_id = m.user_id
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.removed_at is null`);
  if (found === undefined || (keyId !== null && found.keyRole === null)) return undefined;
  const { hidden, keyRole, isNarrow } = found;
  const role = keyRole === null ? found.role : lesserRole(found.role, keyRole);
  if (!roleMay(role, permission)) return undefined;
  return { userId, workspaceId, role, keyId, sight: sightOf({ userId, hidden, keyId, isNarrow }) } as Actor;
}
