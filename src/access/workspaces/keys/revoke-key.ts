import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { audit } from '../../audit/audit.ts';
import { standingsOf } from '../member-standing.ts';

/**
 * Revokes an API key of any member, from the commit on. Only owners may revoke the key of an owner.
 * Throws 403, and 404 `key.not_found`.
 */
export async function revokeKey(tx: Tx, actor: Actor, keyId: string): Promise<void> {
  const { workspaceId } = actor;
  const key = await tx.maybe<{ userId: UserId }>(sql`
    select user_id as "userId" from api_keys where workspace_id = ${workspaceId} and id = ${keyId}`);
  if (key === undefined) throw new AppError('key.not_found');
  const { callerRole, member: maker } = await standingsOf(tx, actor, key.userId);
  if (maker?.role === 'owner' && callerRole !== 'owner') throw new AppError('auth.role_insufficient');
  tx.revokes();
  const revoked = await tx.maybe<{ name: string; role: string }>(sql`
    delete from api_keys where workspace_id = ${workspaceId} and id = ${keyId} returning name, role`);
  if (revoked === undefined) throw new AppError('key.not_found');
  await audit(tx, actor, { type: 'key.revoked', subjectId: keyId, data: revoked });
}
