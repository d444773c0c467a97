import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';

/** Tags that an agent adds or removes belong to the ticket itself. Undoing a merge no longer takes them away. */
export async function ownTags(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  const keys = [...added, ...removed].map(caseKey);
  if (keys.length === 0) return;
  await tx.run(sql`
    update ticket_merges
    set brought_tag_keys = array(
      select b.key from unnest(brought_tag_keys) with ordinality b (key, position)
      where b.key <> all(${keys}::text[])
      order by b.position
    )
    where workspace_id = ${workspaceId} and target_id = ${ticketId} and brought_tag_keys && ${keys}::text[]`);
}
