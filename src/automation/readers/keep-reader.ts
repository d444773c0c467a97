import { factsFromNow } from '../../events/activity/fact-reader.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** Locks the reader of a workspace, if there is one. Comes before the locks of what the reader works with. */
export async function lockReader(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`
    select from rule_readers where workspace_id = ${workspaceId} and id = ${workspaceId} for update`);
}

/**
 * Begins to read the facts of a workspace from now on, or stops, as its rules, automatic replies and surveys need it.
 * Comes after their change, and after `lockReader`. So a workspace without active ones has no reader, and its facts
 * cost nothing.
 */
export async function keepReader(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const { isNeeded } = await tx.one<{ isNeeded: boolean }>(sql`
    select exists (
      select from rules where workspace_id = ${workspaceId} and active_since is not null
      union all
      select from auto_replies where workspace_id = ${workspaceId} and is_active
      union all
      select from surveys where workspace_id = ${workspaceId} and is_active and ask = 'after_close'
    ) as "isNeeded"`);
  if (!isNeeded) {
    await tx.run(sql`delete from rule_readers where workspace_id = ${workspaceId} and id = ${workspaceId}`);
    return;
  }
  const start = await factsFromNow(tx);
  await tx.run(sql`
    insert into rule_readers (workspace_id, id, read_transaction_id, read_id)
    values (${workspaceId}, ${workspaceId}, ${start.transactionId}::xid8, ${start.id})
    on conflict do nothing`);
}
