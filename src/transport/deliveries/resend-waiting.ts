import type { Jobs } from '../../ground/catalog/jobs.ts';
import { type Db, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { queueDelivery } from '../../helpdesk/messages/queue-delivery.ts';

const batchSize = 200;

/**
 * Sends a mailbox's answers now that wait for their next attempt, or for the next question to the mailbox.
 * Answers that their author holds back keep waiting, and answers under way stay untouched.
 */
export async function resendWaiting(db: Db, { workspaceId, mailboxId }: Jobs['mailbox.resend']): Promise<void> {
  for (let after: MessageId | null = null; ; ) {
    const found: { id: MessageId }[] = await db.tx(async (tx) => {
      const waiting = await tx.rows<{ id: MessageId }>(sql`
        select m.id
        from messages m
        join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
        left join mailbox_sends s on s.workspace_id = ${workspaceId} and s.message_id = m.id
        where m.workspace_id = ${workspaceId} and m.delivery_status in ('queued', 'sending')
          and m.delivery_attempts > 0 and m.delivery_next_attempt_at is not null
          and coalesce(s.mailbox_id, t.mailbox_id) = ${mailboxId} and (${after}::uuid is null or m.id > ${after}::uuid)
        order by m.id
        limit ${batchSize}`);
      await together(waiting.map(({ id: messageId }) => queueDelivery(tx, { workspaceId, messageId })));
      return waiting;
    });
    after = found.at(-1)?.id ?? null;
    if (found.length < batchSize) return;
  }
}
