import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Withheld } from '../machine-mail/withheld.ts';
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

/** What an automatic reply did with a mail of a ticket. */
export type AutoReplyRun = {
  id: string;
  autoReplyId: string;
  /** Null once it is deleted. */
  name: string | null;
  messageId: MessageId;
  /** The mail that left. Null: none did, for the reason. */
  replyId: MessageId | null;
  withheld: Withheld | null;
  at: string;
};

/** What automatic replies did with the mails of a ticket in the last 30 days, newest first. */
export function listRunsOfTicket(
  db: Queryable,
  scope: Scope,
  { ticketId, limit }: { ticketId: TicketId; limit: number },
): Promise<AutoReplyRun[]> {
  const { workspaceId } = scope;
  return db.rows<AutoReplyRun>(sql`
    select l.id, l.auto_reply_id as "autoReplyId", r.name, l.message_id as "messageId", l.reply_id as "replyId",
      l.withheld, l.created_at as at
    from auto_reply_log l
    left join auto_replies r on r.workspace_id = ${workspaceId} and r.id = l.auto_reply_id
    where l.workspace_id = ${workspaceId} and l.ticket_id = ${ticketId} and l.auto_reply_id is not null
      and ${ofVisible(scope, 'l.ticket_id')}
    order by l.created_at desc, l.id desc
    limit ${limit}`);
}
