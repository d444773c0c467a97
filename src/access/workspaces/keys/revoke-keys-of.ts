import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { audit } from '../../audit/audit.ts';

/** Revokes every API key of a user, in all workspaces. */
export async function revokeKeysOf(tx: Tx, userId: UserId): Promise<void> {
  tx.revokes();
  const revoked = await tx.rows<{ workspaceId: WorkspaceId; id: string; name: string; role: string }>(sql`
    delete from api_keys where user_id = ${userId} returning workspace_id as "workspaceId", id, name, role`);
  await together(
    revoked.map(({ workspaceId, id: subjectId, name, role }) =>
      audit(tx, { workspaceId, userId }, { type: 'key.revoked', subjectId, data: { name, role } }),
    ),
  );
}
