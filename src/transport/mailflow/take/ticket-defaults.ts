import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { RawMail } from '../raw-mails.ts';
import type { TicketDefaults } from './receive.ts';

/** Defaults for tickets of live mail, by mailbox. The lock keeps the assignees members until the commit. */
export async function readTicketDefaults(
  tx: Tx,
  workspaceId: WorkspaceId,
  mails: readonly { raw: Pick<RawMail, 'origin' | 'mailboxId'> }[],
): Promise<Map<string, TicketDefaults>> {
  const mailboxIds = new Set(
    mails.flatMap(({ raw }) => (raw.origin === 'import' || raw.mailboxId === null ? [] : [raw.mailboxId])),
  );
  if (mailboxIds.size === 0) return new Map();
  const rows = await tx.rows<{ id: string; assigneeId: UserId | null; tags: string[] }>(sql`
    select b.id, m.user_id as "assigneeId", b.default_tags as tags
    from mailboxes b
    left join lateral (
      select m.user_id
      from members m
      where m.workspace_id = ${workspaceId} and m.user_id = b.default_assignee_id and m.removed_at is null
      for key share of m
    ) m on true
    where b.workspace_id = ${workspaceId} and b.id = any(${[...mailboxIds]}::uuid[])`);
  return new Map(rows.map(({ id, ...defaults }) => [id, defaults]));
}
