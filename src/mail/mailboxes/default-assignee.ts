import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';

/** Throws 400 when the user is not a member. In a transaction the membership stays until the commit. */
export async function checkDefaultAssignee(
  db: Queryable,
  workspaceId: WorkspaceId,
  userId: UserId | null | undefined,
): Promise<void> {
  if (userId === null || userId === undefined) return;
  const member = await db.maybe(sql`
    select 1 from members
    where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is null
    for key share`);
  if (member === undefined) throw invalidRequest({ path: 'body.defaultAssigneeId', key: 'not_a_member' });
}

/** Clears the default assignee of mailboxes when that member leaves. */
export async function dropDefaultAssignee(
  tx: Tx,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
): Promise<void> {
  await tx.run(sql`
    update mailboxes set default_assignee_id = null, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and default_assignee_id = ${userId}`);
}
