import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { nameMailIds } from '../messages/mail-ids.ts';
import { recordDelivery } from './settle-delivery.ts';

/** An answer as it lies in a mailbox's sent folder. */
type SentCopy = {
  providerId: string;
  threadId: string | null;
  /** Without brackets: what recipients see. */
  wireMessageId: string | null;
};

export type SentThrough = {
  workspaceId: WorkspaceId;
  messageId: MessageId;
  mailboxId: string;
  /** Null where the mailbox took the mail and does not show it yet. */
  copy: SentCopy | null;
};

/**
 * Notes that an answer left through a mailbox, whoever found out: it is sent, whatever was believed of it before and
 * whichever attempt it was, and replies find it by the id under which its recipients have it. One that bounced stays so.
 * @returns false where there is no such message
 */
export async function noteSentCopy(tx: Tx, sent: SentThrough): Promise<boolean> {
  const { workspaceId, messageId } = sent;
  const named = { workspaceId, messageId };
  const settled = await tx.run(sql`
    update messages
    set delivery_status = 'sent', delivery_error = null, delivery_sent_at = ${tx.now}, delivery_next_attempt_at = null
    where workspace_id = ${workspaceId} and id = ${messageId} and direction = 'outbound'
      and delivery_status in ('queued', 'sending', 'uncertain', 'failed', 'cancelled')`);
  const message = await tx.maybe<{ ticketId: TicketId }>(sql`
    select ticket_id as "ticketId" from messages
    where workspace_id = ${workspaceId} and id = ${messageId} and direction = 'outbound'`);
  if (message === undefined) return false;
  const { ticketId } = message;
  const wireMessageId = sent.copy?.wireMessageId ?? null;
  await together([
    keepCopy(tx, sent),
    nameMailIds(
      tx,
      { workspaceId, ticketId },
      { ids: [], own: wireMessageId === null ? null : { id: wireMessageId, messageId } },
    ),
    settled === 0 ? undefined : recordDelivery(tx, { ...named, ticketId }, 'sent'),
  ]);
  return true;
}

/** What one finder did not see another may know already. */
async function keepCopy(tx: Tx, { workspaceId, messageId, mailboxId, copy }: SentThrough): Promise<void> {
  await tx.run(sql`
    insert into mailbox_sends (workspace_id, message_id, mailbox_id, provider_id, thread_id, wire_message_id)
    values (${workspaceId}, ${messageId}, ${mailboxId}, ${copy?.providerId ?? null}, ${copy?.threadId ?? null},
      ${copy?.wireMessageId ?? null})
    on conflict (workspace_id, message_id) do update
    set mailbox_id = excluded.mailbox_id,
      provider_id = coalesce(excluded.provider_id, mailbox_sends.provider_id),
      thread_id = coalesce(excluded.thread_id, mailbox_sends.thread_id),
      wire_message_id = coalesce(excluded.wire_message_id, mailbox_sends.wire_message_id)`);
}
