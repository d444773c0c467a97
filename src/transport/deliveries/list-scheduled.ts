import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { badCursor, decodeCursor, encodeCursor, isCursorTime, type Page } from '../../ground/lib/cursor.ts';
import { isUuid } from '../../ground/lib/ids.ts';
import { listedMailColumns, mailsWhere } from '../../helpdesk/messages/listed-mail.ts';
import type { Scheduled } from '../../helpdesk/messages/scheduled-schema.ts';

/** The scheduled messages of tickets that are neither in the trash nor spam, from which none leaves. */
export function scheduledOf(scope: Scope): Sql {
  return mailsWhere(scope, sql`m.delivery_status = 'scheduled'`);
}

/** Lists the scheduled messages of everybody, those first that leave first. */
export async function listScheduled(
  db: Queryable,
  scope: Scope,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<Scheduled>> {
  const rows = await db.rows<Scheduled>(sql`
    select ${listedMailColumns}, coalesce(m.delivery_next_attempt_at, m.created_at) as "sendAt",
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
