import { languageColumn } from '../../access/accounts/queries.ts';
import type { Performer } from '../../ground/catalog/doer.ts';
import type { EventType, Recorded } from '../../ground/catalog/events.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { Sql, sql } from '../../ground/database/sql.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { gather } from './gather.ts';
import { wants } from './preferences.ts';
import { queuePushes } from './push/queue-pushes.ts';
import { type Notice, rules, type Title } from './rules.ts';

/**
 * Notifies the people whom a fact concerns, by the rules and their preferences. Reads the subject of the fact, so it
 * must follow the statements of the change.
 * @param activityId the fact's id; a notification of a bulk change keeps the id of the last fact
 * @returns the members who are mentioned, including those who do not want notifications
 */
export async function notify<Type extends EventType>(
  tx: Tx,
  activityId: string,
  fact: Recorded<Type>,
): Promise<UserId[]> {
  const notices = fact.isQuiet === true ? [] : (rules[fact.type]?.(fact) ?? []);
  const { by } = fact;
  const told = await together(
    notices.map((notice) =>
      'gathers' in notice ? gather(tx, by, { ...notice, activityId }) : tell(tx, activityId, { by, notice }),
    ),
  );
  return told.flat();
}

/** @returns the members whom a mention concerns */
async function tell(tx: Tx, activityId: string, { by, notice }: { by: Performer; notice: Notice }): Promise<UserId[]> {
  const { workspaceId, userId: actorUserId } = by;
  const { type, to, subject, title, titleOfMany = null, messageId = null, mailTo } = notice;
  if (!(to instanceof Sql) && to.every((userId) => userId === actorUserId)) return [];
  const told = await tx.rows<Told>(sql`
    select m.user_id as "userId", ${languageColumn} as language, coalesce(p.is_pushed, false) as "isPushed",
      ${wants(type, 'inApp')} as "isShown",
      ${mailTo !== undefined}::boolean and ${wants(type, 'email')} as "isMailed"
    from members m
    join users u on u.id = m.user_id
    left join notification_preferences p on p.user_id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null
      and m.user_id = any(${to instanceof Sql ? sql`array(${to})` : sql`${to}::uuid[]`})
      and m.user_id is distinct from ${actorUserId}::uuid
      -- Who mentions somebody learns whom that concerns, whatever those people want.
      and (${type}::text = 'mention' or ${wants(type, 'inApp')} or ${wants(type, 'email')})
    -- Waits for a concurrent removal of a member, who then gets no notification.
    for key share of m`);
  const bulkId = by.cause?.kind === 'bulk_change' && messageId === null ? by.cause.id : null;
  const shown = told.filter(({ isShown }) => isShown);
  const notices = { workspaceId, activityId, bulkId };
  await together([
    shown.length === 0
      ? undefined
      : tx.run(sql`
          insert into notifications as n (workspace_id, id, user_id, type, reference_id, message_id, actor_id,
            activity_id, title, bulk_id, mailed_at, created_at)
          select w.workspace_id, p.id, p.user_id, ${type}::text, s.id, ${messageId}::uuid, ${actorUserId}::uuid,
            ${activityId}::uuid, replace(p.title, '%s', s.name), ${bulkId}::uuid,
            case when p.is_mailed then ${tx.now}::timestamptz end, ${tx.now}::timestamptz
          from ${workspaceRow}
          cross join unnest(${shown.map(() => tx.newId())}::uuid[], ${shown.map(({ userId }) => userId)}::uuid[],
            ${shown.map(({ isMailed }) => isMailed)}::boolean[],
            ${shown.map(({ language }) => title[language])}::text[])
            p (id, user_id, is_mailed, title)
          cross join (${subject}) s
          where w.workspace_id = ${workspaceId}
          -- Becomes unread again, because it now covers another ticket.
          on conflict (workspace_id, user_id, type, bulk_id) where bulk_id is not null do update
          set count = n.count + 1, reference_id = excluded.reference_id, activity_id = excluded.activity_id,
            read_at = null, read_transaction_id = null`),
    queuePushes(tx, notices, shown),
    shown.length === 0 || bulkId === null || titleOfMany === null ? undefined : nameMany(tx, notices, titleOfMany),
  ]);
  if (mailTo !== undefined) {
    const mailed = told.filter(({ isMailed }) => isMailed);
    await together(mailed.map(({ userId }) => enqueue(tx, 'system-mail.send', mailTo(userId))));
  }
  return type === 'mention' ? told.map(({ userId }) => userId) : [];
}

type Told = { userId: UserId; language: Language; isShown: boolean; isMailed: boolean; isPushed: boolean };
type Notices = { workspaceId: WorkspaceId; activityId: string; bulkId: string | null };

/** Titles notifications that cover several tickets by now. Citus takes no parameters in an upsert. */
async function nameMany(tx: Tx, { workspaceId, activityId, bulkId }: Notices, title: Title): Promise<void> {
  await tx.run(sql`
    update notifications n
    set title = replace(case when ${languageColumn} = 'de' then ${title.de}::text else ${title.en}::text end,
      '%s', count::text)
    from users u
    where n.workspace_id = ${workspaceId} and n.activity_id = ${activityId} and n.bulk_id = ${bulkId} and n.count > 1
      and u.id = n.user_id`);
}
