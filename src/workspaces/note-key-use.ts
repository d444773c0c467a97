import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';

/** How exact a key's last use is: a row written with every request would be what the service does most. */
export const keyUseSeconds = 60;

/** Notes that a key is in use. Of many requests at once one does it and none waits. */
export async function noteKeyUse(
  tx: Tx,
  { workspaceId, keyId }: { workspaceId: string; keyId: string },
): Promise<void> {
  await tx.run(sql`
    update api_keys set last_used_at = ${tx.now}
    where workspace_id = ${workspaceId} and id in (
      select id from api_keys where workspace_id = ${workspaceId} and id = ${keyId} for no key update skip locked)`);
}
