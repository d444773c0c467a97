import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** Serialises changes of a workspace's members, keys and settings until the commit. */
export async function lockWorkspace(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`select 1 from workspaces where id = ${workspaceId} for no key update`);
}
