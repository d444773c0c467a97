import type { Queryable } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { pageOf, readIdCursor } from '../lib/cursor.ts';
import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import type { QuarantinePage } from './schema.ts';

/** Lists unreadable mails, newest first. Each has a message with the original mail attached. */
export async function listQuarantine(
  db: Queryable,
  workspaceId: WorkspaceId,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<QuarantinePage> {
  const before = cursor === undefined ? sql`` : sql`and r.id < ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<QuarantinePage['items'][number]>(sql`
    select r.id, r.message_id as "messageId", m.ticket_id as "ticketId", r.size_bytes as size, r.note as reason,
      r.received_at as "receivedAt"
    from raw_mails r
    left join messages m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.state = 'quarantined' ${before}
    order by r.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/**
 * The hash of the mail that became a message. Undefined when the message came without a mail or is unknown in the
 * workspace.
 */
export async function findRawMail(
  db: Queryable,
  workspaceId: WorkspaceId,
  messageId: MessageId,
): Promise<string | undefined> {
  const row = await db.maybe<{ sha256: string }>(sql`
    select sha256 from raw_mails
    where workspace_id = ${workspaceId} and message_id = ${messageId} and state in ('ingested', 'quarantined')`);
  return row?.sha256;
}
