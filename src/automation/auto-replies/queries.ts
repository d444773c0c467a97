import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { AutoReply } from './schema.ts';

/** The columns of `auto_replies r`, and what it did in the last 24 hours. */
function autoReplyColumns(workspaceId: WorkspaceId, now: Date): Sql {
  return sql`r.id, r.name, r.mailbox_id as "mailboxId", r.kind, r.calendar_id as "calendarId",
    r.valid_from as "validFrom", r.valid_until as "validUntil", r.saved_reply_id as "savedReplyId",
    r.is_active as "isActive", r.version, r.created_at as "createdAt", r.updated_at as "updatedAt",
    (
      select count(*)::integer
      from auto_reply_log l
      where l.workspace_id = ${workspaceId} and l.auto_reply_id = r.id and l.withheld is null
        and l.created_at > ${now}::timestamptz - interval '24 hours'
    ) as "sentToday",
    coalesce((
      select json_agg(json_build_object('reason', w.reason, 'count', w.count) order by w.count desc, w.reason)
      from (
        select l.withheld as reason, count(*)::integer as count
        from auto_reply_log l
        where l.workspace_id = ${workspaceId} and l.auto_reply_id = r.id and l.withheld is not null
          and l.created_at > ${now}::timestamptz - interval '24 hours'
        group by l.withheld
      ) w
    ), '[]') as "withheldToday"`;
}

/** By their names. They are few, so the list has no pages. */
export function listAutoReplies(
  db: Queryable,
  { workspaceId, now }: { workspaceId: WorkspaceId; now: Date },
): Promise<AutoReply[]> {
  return db.rows<AutoReply>(sql`
    select ${autoReplyColumns(workspaceId, now)}
    from auto_replies r
    where r.workspace_id = ${workspaceId}
    order by lower(r.name), r.id`);
}

/** Throws 404. */
export async function getAutoReply(
  db: Queryable,
  { workspaceId, autoReplyId, now }: { workspaceId: WorkspaceId; autoReplyId: string; now: Date },
): Promise<AutoReply> {
  const found = await db.maybe<AutoReply>(sql`
    select ${autoReplyColumns(workspaceId, now)}
    from auto_replies r
    where r.workspace_id = ${workspaceId} and r.id = ${autoReplyId}`);
  if (found === undefined) throw new AppError('auto_reply.not_found');
  return found;
}
