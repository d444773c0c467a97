import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { workspaceRow } from '../../../ground/database/workspace-row.ts';
import type { UserId, WorkspaceId } from '../../../ground/lib/ids.ts';

/** Long enough for a page that is open to show the notification, and for a person to read it there. */
const waitMs = 3_000;

type Told = { workspaceId: WorkspaceId; activityId: string; bulkId?: string | null };

/** Lets the browsers of people who have just been notified of a fact show it, in the transaction of the fact. */
export async function queuePushes(
  tx: Tx,
  { workspaceId, activityId, bulkId = null }: Told,
  told: readonly { userId: UserId; isPushed: boolean }[],
): Promise<void> {
  const userIds = told.filter(({ isPushed }) => isPushed).map(({ userId }) => userId);
  if (userIds.length === 0) return;
  await tx.run(sql`
    insert into pushes (workspace_id, id, user_id, subject_id, activity_id, due_at, created_at)
    select w.workspace_id, p.id, p.user_id, ${bulkId ?? activityId}::uuid, ${activityId}::uuid,
      ${new Date(tx.now.getTime() + waitMs)}::timestamptz, ${tx.now}::timestamptz
    from ${workspaceRow}
    cross join unnest(${userIds.map(() => tx.newId())}::uuid[], ${userIds}::uuid[]) p (id, user_id)
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, user_id, subject_id) do update set activity_id = excluded.activity_id`);
}
