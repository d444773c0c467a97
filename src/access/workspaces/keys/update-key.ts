import type { Actor } from '../../../ground/catalog/actor.ts';
import { roleMay } from '../../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { changedFields } from '../../../ground/lib/changed-fields.ts';
import { AppError, invalidRequest } from '../../../ground/lib/errors.ts';
import type { TeamId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { audit } from '../../audit/audit.ts';
import { standingsOf } from '../member-standing.ts';
import { getKey } from '../queries.ts';
import type { ApiKey, UpdateKey } from '../schema.ts';

/**
 * Changes the name of an API key, or which tickets it sees, from the commit on. Its maker alone may: a colleague who
 * has the secret would else see what the maker sees. Throws 400 for an unknown team, 403, and 404 `key.not_found`.
 */
export async function updateKey(
  tx: Tx,
  actor: Actor,
  { keyId, ...input }: UpdateKey & { keyId: string },
): Promise<ApiKey> {
  const { workspaceId, userId } = actor;
  const { callerRole } = await standingsOf(tx, actor, userId);
  if (!roleMay(callerRole, 'key.manage')) throw new AppError('auth.role_insufficient');
  const { createdBy, name, teamIds } = await getKey(tx, actor, keyId);
  if (createdBy !== userId) throw new AppError('key.not_yours');
  const before = { name, teamIds };
  const after = { ...before, ...input };
  if (input.teamIds !== undefined) after.teamIds = await knownTeams(tx, workspaceId, input.teamIds);
  const changed = changedFields(before, after);
  if (changed.length === 0) return getKey(tx, actor, keyId);
  tx.revokes();
  await together([
    tx.run(sql`
      update api_keys set name = ${after.name}, team_ids = ${after.teamIds}::uuid[]
      where workspace_id = ${workspaceId} and id = ${keyId}`),
    audit(tx, actor, {
      type: 'key.changed',
      subjectId: keyId,
      data: { name: after.name, changed, ...(after.teamIds && { teamIds: after.teamIds }) },
    }),
  ]);
  return getKey(tx, actor, keyId);
}

/**
 * Each of the teams once, in the order of their ids. They may be archived: their tickets can still be read. The caller
 * has locked the workspace, so none is deleted until the commit. Throws 400 for a team of another workspace.
 */
export async function knownTeams(
  tx: Tx,
  workspaceId: WorkspaceId,
  teamIds: readonly TeamId[] | null,
): Promise<TeamId[] | null> {
  if (teamIds === null) return null;
  const wanted = [...new Set(teamIds)].toSorted();
  const found = await tx.rows(sql`
    select from teams where workspace_id = ${workspaceId} and id = any(${wanted}::uuid[])`);
  if (found.length < wanted.length) throw invalidRequest({ path: 'body.teamIds', key: 'not_a_team' });
  return wanted;
}
