import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { HostedPlace, RawMail } from '../raw-mails.ts';

/** Includes the mailbox, because threads of different mailboxes may have the same id. */
export function threadKey({ mailboxId, threadId }: Pick<HostedPlace, 'mailboxId' | 'threadId'>): string {
  return `${mailboxId} ${threadId}`;
}

/**
 * Finds the newest message in each provider's thread of the given mails, by `threadKey`; a message of spam only if
 * there is no other. The `offset 0` fences make
 * each step one index probe. Without them and without statistics, PostgreSQL joins by reading whole workspaces.
 */
export async function findNewestOfThreads(
  db: Queryable,
  workspaceId: WorkspaceId,
  mails: readonly { raw: Pick<RawMail, 'hosted'> }[],
): Promise<Map<string, MessageId>> {
  const places = mails.flatMap(({ raw: { hosted } }) => (hosted?.threadId == null ? [] : [hosted]));
  if (places.length === 0) return new Map();
  const threads = [...new Map(places.map((place) => [threadKey(place), place])).values()];
  const rows = await db.rows<{ mailboxId: string; threadId: string; messageId: MessageId }>(sql`
    select t.mailbox_id as "mailboxId", t.thread_id as "threadId", newest.id as "messageId"
    from unnest(
        ${threads.map(({ mailboxId }) => mailboxId)}::uuid[], ${threads.map(({ threadId }) => threadId)}::text[]
      ) t (mailbox_id, thread_id)
    cross join lateral (
      select m.id
      from (
        (
          select r.message_id
          from mailbox_mails h
          cross join lateral (
            select b.message_id from raw_mails b where b.workspace_id = ${workspaceId} and b.id = h.raw_mail_id offset 0
          ) r
          where h.workspace_id = ${workspaceId} and h.mailbox_id = t.mailbox_id and h.thread_id = t.thread_id
        )
        union all
        (
          select s.message_id
          from mailbox_sends s
          where s.workspace_id = ${workspaceId} and s.mailbox_id = t.mailbox_id and s.thread_id = t.thread_id
        )
      ) known
      cross join lateral (
        select c.id, c.created_at, k.spam_at is not null as is_spam
        from messages c
        join tickets k on k.workspace_id = ${workspaceId} and k.id = c.ticket_id
        where c.workspace_id = ${workspaceId} and c.id = known.message_id
        offset 0
      ) m
      order by m.is_spam, m.created_at desc, m.id desc
      limit 1
    ) newest`);
  return new Map(rows.map(({ messageId, ...thread }) => [threadKey(thread), messageId]));
}
