import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import type { QuarantinePage } from './schema.ts';

type Quarantined = QuarantinePage['items'][number];

/** The mails `r` of the quarantine. Leaves out mails that are discarded, erased, or have a ticket in the trash. */
function inQuarantine(scope: Scope): Sql {
  const { workspaceId } = scope;
  return sql`r.id, r.message_id as "messageId", m.ticket_id as "ticketId", t.ticket_number as "ticketNumber",
      r.size_bytes as size, r.note as reason, r.envelope_from as "envelopeFrom", r.envelope_to as "envelopeTo",
      r.received_at as "receivedAt"
    from raw_mails r
    left join messages m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    left join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where r.workspace_id = ${workspaceId} and r.state = 'quarantined' and r.erased_at is null
      and r.discarded_at is null and t.trashed_at is null and ${ofVisible(scope, 'm.ticket_id')}`;
}

/** Lists unreadable mails, newest first. Each has a message with the mail attached, unless its bytes were lost. */
export async function listQuarantine(
  db: Queryable,
  scope: Scope,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<QuarantinePage> {
  const before = cursor === undefined ? sql`` : sql`and r.id < ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<Quarantined>(sql`
    select ${inQuarantine(scope)} ${before}
    order by r.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/** One mail of the quarantine, with the hash of its bytes. */
export function findQuarantined(
  db: Queryable,
  scope: Scope,
  rawMailId: string,
): Promise<(Quarantined & { sha256: string }) | undefined> {
  return db.maybe<Quarantined & { sha256: string }>(sql`
    select r.sha256, ${inQuarantine(scope)} and r.id = ${rawMailId}`);
}

/**
 * The hash of the mail that became a message, and its ticket. Undefined when the message came without a mail or is
 * unknown in the workspace.
 */
export function findRawMail(
  db: Queryable,
  scope: Scope,
  messageId: MessageId,
): Promise<{ sha256: string; ticketId: TicketId | null } | undefined> {
  const { workspaceId } = scope;
  return db.maybe<{ sha256: string; ticketId: TicketId | null }>(sql`
    select r.sha256, m.ticket_id as "ticketId"
    from raw_mails r
    left join messages m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.message_id = ${messageId} and r.state in ('ingested', 'quarantined')
      and ${ofVisible(scope, 'm.ticket_id')}`);
}
