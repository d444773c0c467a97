import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { enqueueAll } from '../queue/enqueue.ts';
import { dispatchJob } from './enqueue.ts';

/** Queues dispatch jobs for workspaces whose webhooks have unread facts. Null checks all workspaces. */
export async function dispatchUnread(tx: Tx, workspaceIds: readonly WorkspaceId[] | null): Promise<void> {
  const unread = await tx.rows<{ workspaceId: WorkspaceId }>(sql`
    select distinct w.workspace_id as "workspaceId"
    from webhooks w
    where w.status = 'active' and (${workspaceIds}::uuid[] is null or w.workspace_id = any(${workspaceIds}::uuid[]))
      and exists (
        select 1 from activity a
        where a.workspace_id = w.workspace_id
          and (a.transaction_id, a.id) > (w.read_transaction_id, w.read_id)
      )`);
  if (unread.length > 0)
    await enqueueAll(
      tx,
      unread.map(({ workspaceId }) => dispatchJob(workspaceId)),
    );
}
