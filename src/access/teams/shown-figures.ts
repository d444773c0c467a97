import type { Actor } from '../../ground/catalog/actor.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';

/**
 * The members whose figures an actor sees: admins those of all, leads those of their teams, everybody their own. None
 * where the workspace compares no members.
 */
export async function shownMembers(db: Queryable, actor: Actor): Promise<ReadonlySet<string> | 'all' | 'none'> {
  const { workspaceId, userId, role } = actor;
  const settings = await db.maybe<{ showsMembers: boolean }>(sql`
    select shows_members as "showsMembers" from report_settings where workspace_id = ${workspaceId}`);
  if (settings?.showsMembers === false) return 'none';
  if (roleMay(role, 'workspace.manage')) return 'all';
  const led = await db.rows<{ userId: string }>(sql`
    select inside.user_id as "userId"
    from team_members lead
    join team_members inside on inside.workspace_id = ${workspaceId} and inside.team_id = lead.team_id
    where lead.workspace_id = ${workspaceId} and lead.user_id = ${userId} and lead.is_lead`);
  return new Set([userId, ...led.map((member) => member.userId)]);
}
