import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** Notes blobs that may have lost their last name, for the sweep. */
export async function noteLooseBlobs(
  tx: Tx,
  workspaceId: WorkspaceId,
  blobs: readonly { sha256: string }[],
): Promise<void> {
  if (blobs.length === 0) return;
  await tx.run(sql`
    insert into loose_blobs (workspace_id, sha256, noted_at)
    select w.workspace_id, sha256, ${tx.now}::timestamptz
    from ${workspaceRow}
    cross join (select distinct sha256 from unnest(${blobs.map(({ sha256 }) => sha256)}::text[]) sha256) b
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, sha256) do nothing`);
}
