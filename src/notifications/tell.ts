import type { EventType, Fact } from '../catalog/events.ts';
import { type Tx, together } from '../database/db.ts';
import { Sql, sql } from '../database/sql.ts';
import type { UserId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { rules } from './rules.ts';

/**
 * Notifies the people whom a fact concerns, by the rules and their preferences. One statement, so a caller can batch it
 * with others. It reads the subject of the fact, so it must follow the statements of the change.
 * @param activityId the fact's id; a notification of a bulk change keeps the id of the last fact
 * @returns the members concerned, including those who do not want notifications
 */
export async function tell<Type extends EventType>(tx: Tx, activityId: string, fact: Fact<Type>): Promise<UserId[]> {
  const notice = fact.isQuiet === true ? null : (rules[fact.type]?.(fact) ?? null);
  if (notice === null) return [];
  const { workspaceId, actor, bulkId = null } = fact;
  const actorUserId = actor.type === 'agent' ? actor.userId : null;
  const { type, to, subject, title, titleOfMany = null, messageId = null, mailTo } = notice;
  if (!(to instanceof Sql) && to.every((userId) => userId === actorUserId)) return [];
  // Only the statement knows how many people there are, so it makes their ids: UUIDv7 with the time of the fact's id.
  const told = await tx.rows<{ userId: UserId; isMailed: boolean }>(sql`
    with people as (
      select m.user_id, coalesce((p.types->${type}::text->>'inApp')::boolean, true) as is_shown,
        ${mailTo !== undefined}::boolean and coalesce((p.types->${type}::text->>'email')::boolean, true) as is_mailed
      from members m
      left join notification_preferences p on p.user_id = m.user_id
      where m.workspace_id = ${workspaceId} and m.removed_at is null
        and m.user_id = any(${to instanceof Sql ? sql`array(${to})` : sql`${to}::uuid[]`})
        and m.user_id is distinct from ${actorUserId}::uuid
      -- Waits for a concurrent removal of a member, who then gets no notification.
      for key share of m
    ), told as (
      insert into notifications as n (workspace_id, id, user_id, type, reference_id, message_id, actor_id, activity_id,
        title, bulk_id, mailed_at, created_at)
      select ${workspaceId}::uuid, (left(${activityId}::text, 26) || right(gen_random_uuid()::text, 10))::uuid,
        p.user_id, ${type}::text, s.id, ${messageId}::uuid, ${actorUserId}::uuid, ${activityId}::uuid,
        format(${title}::text, s.name), ${bulkId}::uuid, case when p.is_mailed then ${tx.now}::timestamptz end,
        ${tx.now}::timestamptz
      from people p
      cross join (${subject}) s
      where p.is_shown
      -- Becomes unread again, because it now covers another ticket.
      on conflict (workspace_id, user_id, type, bulk_id) where bulk_id is not null do update
      set count = n.count + 1, reference_id = excluded.reference_id, activity_id = excluded.activity_id,
        title = format(${titleOfMany}::text, n.count + 1), read_at = null, read_transaction_id = null
    )
    select user_id as "userId", is_mailed as "isMailed" from people`);
  if (mailTo !== undefined) {
    const mailed = told.filter(({ isMailed }) => isMailed);
    await together(mailed.map(({ userId }) => enqueue(tx, 'system-mail.send', mailTo(userId))));
  }
  return told.map(({ userId }) => userId);
}
