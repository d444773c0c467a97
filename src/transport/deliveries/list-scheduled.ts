import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { snippetOf } from '../../ground/database/snippet.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime, type Page } from '../../ground/lib/cursor.ts';
import { isUuid, type MessageId, type TicketId, type UserId } from '../../ground/lib/ids.ts';
import type { Scheduled } from '../../helpdesk/messages/scheduled-schema.ts';

/** The scheduled messages of tickets that are neither in the trash nor spam, from which none leaves. */
export function scheduledOf(scope: Scope): Sql {
  const { workspaceId } = scope;
  return sql`
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and m.delivery_status = 'scheduled' and t.trashed_at is null
      and t.spam_at is null and ${visible(scope, 't')}`;
}

type ScheduledRow = {
  id: MessageId;
  ticketId: TicketId;
  ticketNumber: number;
  subject: string;
  authorUserId: UserId | null;
  authorName: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  snippet: string;
  createdAt: string;
  sendAt: string;
  unlessReplied: boolean;
};

/** Lists the scheduled messages of everybody, those first that leave first. */
export async function listScheduled(
  db: Queryable,
  scope: Scope,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<Scheduled>> {
  const rows = await db.rows<ScheduledRow>(sql`
    select m.id, m.ticket_id as "ticketId", t.ticket_number as "ticketNumber", t.subject,
      m.author_user_id as "authorUserId", m.author_name as "authorName", m.to_addresses as "to",
      m.cc_addresses as cc, m.bcc_addresses as bcc, ${snippetOf(sql`coalesce(m.reply_text, m.body)`)} as snippet,
      m.created_at as "createdAt", coalesce(m.delivery_next_attempt_at, m.created_at) as "sendAt",
      coalesce((m.scheduled->>'unlessReplied')::boolean, true) as "unlessReplied"
    ${scheduledOf(scope)} ${cursor === undefined ? emptySql : isAfter(cursor)}
    order by m.delivery_next_attempt_at, m.id
    limit ${limit + 1}`);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined
    ? { items, nextCursor: encodeCursor([last.sendAt, last.id]) }
    : { items };
}

function isAfter(cursor: string): Sql {
  const position = decodeCursor(cursor);
  const [at, id] = Array.isArray(position) ? (position as unknown[]) : [];
  if (!isCursorTime(at) || typeof id !== 'string' || !isUuid(id)) throw badCursor();
  return sql`and (m.delivery_next_attempt_at, m.id) > (${at}::timestamptz, ${id}::uuid)`;
}
