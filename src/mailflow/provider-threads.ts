import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import type { Queryable } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { HostedPlace } from './raw-mails.ts';

type Thread = Pick<HostedPlace, 'mailboxId' | 'threadId'>;

/** A thread is its mailbox's own: another's may have the same name. */
export function threadKey({ mailboxId, threadId }: Thread): string {
  return `${mailboxId} ${threadId}`;
}

/** The newest message that came or went in a provider's thread. */
export async function findNewestOfThread(
  db: Queryable,
  workspaceId: WorkspaceId,
  { mailboxId, threadId }: Thread,
): Promise<MessageId | undefined> {
  const newest = await db.maybe<{ id: MessageId }>(sql`
    select m.id
    from (
      select r.message_id
      from mailbox_mails h
      join raw_mails r on r.workspace_id = ${workspaceId} and r.id = h.raw_mail_id
      where h.workspace_id = ${workspaceId} and h.mailbox_id = ${mailboxId} and h.thread_id = ${threadId}
      union
      select s.message_id
      from mailbox_sends s
      where s.workspace_id = ${workspaceId} and s.mailbox_id = ${mailboxId} and s.thread_id = ${threadId}
    ) known
    join messages m on m.workspace_id = ${workspaceId} and m.id = known.message_id
    order by m.created_at desc, m.id desc
    limit 1`);
  return newest?.id;
}
