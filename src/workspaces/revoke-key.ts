import { audit } from '../audit/audit.ts';
import type { Actor } from '../catalog/actor.ts';
import { AppError } from '../lib/errors.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

/** Ends an API key, whoever made it, from the commit on. Throws 404 `key.not_found`. */
export async function revokeKey(tx: Tx, actor: Actor, keyId: string): Promise<void> {
  const revoked = await tx.maybe<{ name: string; role: string }>(sql`
    delete from api_keys where workspace_id = ${actor.workspaceId} and id = ${keyId} returning name, role`);
  if (revoked === undefined) throw new AppError('key.not_found');
  await audit(tx, actor, { type: 'key.revoked', subjectId: keyId, data: revoked });
}
