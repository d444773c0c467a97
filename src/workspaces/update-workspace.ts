import { audit } from '../audit/audit.ts';
import type { Actor } from '../catalog/actor.ts';
import type { AuditEvents } from '../catalog/audit.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import { getWorkspaceOf } from './queries.ts';
import type { WorkspaceWithSettings } from './schema.ts';

export type UpdateWorkspace = {
  name?: string;
  requireSecondFactor?: boolean;
  /**
   * Only a session with a second factor may require second factors, or callers would lock themselves out. Else throws
   * 403.
   */
  sessionId: string;
};

/** Changes the given fields. Unchanged values leave no entry in the audit log. */
export async function updateWorkspace(
  tx: Tx,
  actor: Actor,
  { sessionId, ...input }: UpdateWorkspace,
): Promise<WorkspaceWithSettings> {
  const [before, session] = await together([
    tx.one<{ name: string; requireSecondFactor: boolean }>(sql`
      select name, require_second_factor as "requireSecondFactor"
      from workspaces
      where id = ${actor.workspaceId}
      for no key update`),
    tx.maybe<{ hasFactor: boolean }>(sql`
      select second_factor_at is not null as "hasFactor" from sessions where id = ${sessionId}`),
  ]);
  const after = {
    name: input.name ?? before.name,
    requireSecondFactor: input.requireSecondFactor ?? before.requireSecondFactor,
  };
  const isDemanded = after.requireSecondFactor && !before.requireSecondFactor;
  if (isDemanded && !session?.hasFactor) throw new AppError('workspace.second_factor_required');
  const data: AuditEvents['workspace.changed'] = {
    ...(after.name !== before.name && { name: { from: before.name, to: after.name } }),
    ...(after.requireSecondFactor !== before.requireSecondFactor && {
      requireSecondFactor: { from: before.requireSecondFactor, to: after.requireSecondFactor },
    }),
  };
  if (Object.keys(data).length > 0) {
    tx.revokes();
    await together([
      tx.run(sql`
        update workspaces set name = ${after.name}, require_second_factor = ${after.requireSecondFactor}
        where id = ${actor.workspaceId}`),
      audit(tx, actor, { type: 'workspace.changed', subjectId: actor.workspaceId, data }),
    ]);
  }
  return getWorkspaceOf(tx, actor);
}
