import type { Actor } from '../../ground/catalog/actor.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { readMoment } from '../../ground/database/moment.ts';
import { limitTo, quick, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { badCursor, decodeCursor, encodeCursor, type Page } from '../../ground/lib/cursor.ts';
import { isUuid } from '../../ground/lib/ids.ts';
import { withCounts } from './gathered-count.ts';
import { type NotificationRow, notificationColumns } from './queries.ts';
import type { Notification } from './schema.ts';

/** The start of the next page, and the snapshot of the first page. */
type UnreadPosition = { id: string; snapshot: string };

/**
 * The actor's own unread notifications, newest first. Later pages use the first page's snapshot, so that notifications
 * read between two pages are not skipped: if the snapshot does not see the reading, the notification counts as unread.
 */
export async function listUnread(
  db: Queryable,
  actor: Actor,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<Notification>> {
  const position = cursor === undefined ? undefined : readCursor(cursor);
  const [{ snapshot }, rows] =
    position === undefined
      ? await together([readMoment(db), db.rows<NotificationRow>(quick(firstRows(actor, limit + 1)))])
      : [position, await db.rows<NotificationRow>(nextRows(actor, position, limit + 1))];
  const items = await withCounts(db, actor, rows.slice(0, limit));
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items };
  const next: UnreadPosition = { id: last.id, snapshot };
  return { items, nextCursor: encodeCursor(next) };
}

function firstRows(actor: Actor, rowsMax: number): Sql {
  const { workspaceId, userId } = actor;
  return sql`
    select ${notificationColumns}
    from notifications
    where workspace_id = ${workspaceId} and user_id = ${userId} and read_at is null
      and ${ofVisible(actor, 'notifications.reference_id')}
    order by id desc
    ${limitTo(rowsMax)}`;
}

/**
 * `read_since` is materialized without an order: the planner overestimates its rows, and would otherwise search all
 * notifications that the user ever read.
 */
function nextRows(actor: Actor, { id, snapshot }: UnreadPosition, rowsMax: number): Sql {
  const { workspaceId, userId } = actor;
  return sql`
    with read_since as materialized (
      select id
      from notifications
      where workspace_id = ${workspaceId} and user_id = ${userId} and id < ${id}
        and read_transaction_id >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
        and not pg_visible_in_snapshot(read_transaction_id, ${snapshot}::pg_snapshot)
    )
    (
      select ${notificationColumns}
      from notifications
      where workspace_id = ${workspaceId} and user_id = ${userId} and id < ${id} and read_at is null
        and ${ofVisible(actor, 'notifications.reference_id')}
      order by id desc
      limit ${rowsMax}
    )
    union all
    (
      select ${notificationColumns}
      from notifications
      where workspace_id = ${workspaceId} and user_id = ${userId}
        and id in (select id from read_since order by id desc limit ${rowsMax})
        and ${ofVisible(actor, 'notifications.reference_id')}
    )
    order by id desc
    limit ${rowsMax}`;
}

function readCursor(cursor: string): UnreadPosition {
  const { id, snapshot } = (decodeCursor(cursor) ?? {}) as { [Key in keyof UnreadPosition]?: unknown };
  if (typeof id === 'string' && isUuid(id) && typeof snapshot === 'string' && isSnapshot(snapshot))
    return { id, snapshot };
  throw badCursor();
}

/** Accepts only PostgreSQL's own format, `xmin:xmax:xip,xip…` in order, so that a cast to `pg_snapshot` succeeds. */
function isSnapshot(text: string): boolean {
  const [, xmin, xmax, running = ''] = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18})*)?)$/.exec(text) ?? [];
  if (xmin === undefined || xmax === undefined) return false;
  const [first, end] = [BigInt(xmin), BigInt(xmax)];
  const ids = running === '' ? [] : running.split(',').map(BigInt);
  const isInOrder = ids.every((id, index) => id >= (ids[index - 1] ?? first) && id < end);
  return first > 0n && first <= end && isInOrder;
}
