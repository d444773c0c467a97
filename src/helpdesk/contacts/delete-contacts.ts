import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';

/** Deletes contacts. The caller must make sure that nothing refers to them. */
export async function deleteContacts(tx: Tx, workspaceId: WorkspaceId, ids: readonly ContactId[]): Promise<void> {
  await tx.run(sql`delete from contacts where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`);
}
