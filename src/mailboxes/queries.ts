import type { WorkspaceId } from '../lib/ids.ts';
import type { ProviderName } from '../mail/provider.ts';
import type { Queryable } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

export type MailboxStatus = 'active' | 'paused' | 'reauthorization_required' | 'error' | 'disconnected';

/** A mailbox as jobs see it; never with its credentials. */
export type Mailbox = {
  workspaceId: WorkspaceId;
  id: string;
  provider: ProviderName;
  address: string;
  status: MailboxStatus;
  statusChangedAt: string;
  defaultAssigneeId: string | null;
  defaultTags: string[];
  signature: string | null;
  connectedAt: string;
};

export function findMailbox(
  db: Queryable,
  { workspaceId, mailboxId }: { workspaceId: WorkspaceId; mailboxId: string },
): Promise<Mailbox | undefined> {
  return db.maybe<Mailbox>(sql`
    select workspace_id as "workspaceId", id, provider, address, status, status_changed_at as "statusChangedAt",
      default_assignee_id as "defaultAssigneeId", default_tags as "defaultTags", signature, connected_at as "connectedAt"
    from mailboxes
    where workspace_id = ${workspaceId} and id = ${mailboxId}`);
}

/** The addresses at which the workspace's mailboxes send and receive, those that are disconnected apart. */
export async function readMailboxAddresses(db: Queryable, workspaceId: WorkspaceId): Promise<string[]> {
  const rows = await db.rows<{ address: string }>(sql`
    select address from mailboxes where workspace_id = ${workspaceId} and status <> 'disconnected' order by id`);
  return rows.map(({ address }) => address);
}
