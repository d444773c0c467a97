import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';

/** Records the last use at most this often. A write with every request would be our most frequent statement. */
export const keyUseSeconds = 60;

/** Records that a key is in use. Of many concurrent requests one writes the row, and the others do not wait. */
export async function noteKeyUse(
  tx: Tx,
  { workspaceId, keyId }: { workspaceId: WorkspaceId; keyId: string },
): Promise<void> {
  await tx.run(sql`
    update api_keys set last_used_at = ${tx.now}
    where workspace_id = ${workspaceId} and id in (
      select id from api_keys where workspace_id = ${workspaceId} and id = ${keyId} for no key update skip locked)`);
}
