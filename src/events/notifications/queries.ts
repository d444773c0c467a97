import type { Actor } from '../../ground/catalog/actor.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, limitTo, quick, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { isOfSeveral, withCounts } from './gathered-count.ts';
import type { Notification } from './schema.ts';

export const notificationColumns = sql`id, type, reference_id as "referenceId", message_id as "messageId",
  mailbox_id as "mailboxId", actor_id as "actorId", title, title_of_many as "titleOfMany", count, read_at as "readAt",
  created_at as "createdAt"`;
export type NotificationRow = Notification & { titleOfMany: string | null };

/** The condition that the subject of a row of `notifications` is not in the trash, unless there are more. */
function isNotInTrash(scope: Scope): Sql {
  return sql`(${isOfSeveral(scope)} or not exists (
    select from tickets t
    where t.workspace_id = ${scope.workspaceId} and t.id = notifications.reference_id and t.trashed_at is not null
  ))`;
}

/** The actor's own notifications, newest first. Ids grow with time, so new notifications do not shift later pages. */
export async function listNotifications(
  db: Queryable,
  actor: Actor,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<Notification>> {
  const { workspaceId, userId } = actor;
  const before = cursor === undefined ? emptySql : sql`and id < ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<NotificationRow>(
    quick(sql`
    select ${notificationColumns}
    from notifications
    where workspace_id = ${workspaceId} and user_id = ${userId} ${before}
      and ${isNotInTrash(actor)} and ${ofVisible(actor, 'notifications.reference_id')}
    order by id desc
    ${limitTo(limit + 1)}`),
  );
  return pageOf(await withCounts(db, actor, rows), limit, ({ id }) => id);
}

export async function countUnread(db: Queryable, actor: Actor): Promise<number> {
  const { workspaceId, userId } = actor;
  const { count } = await db.one<{ count: number }>(
    quick(sql`
    select count(*) as count
    from notifications
    where workspace_id = ${workspaceId} and user_id = ${userId} and read_at is null
      and ${ofVisible(actor, 'notifications.reference_id')}`),
  );
  return count;
}
