import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { nameMailIds } from '../messages/mail-ids.ts';
import { recordDelivery } from './settle-delivery.ts';

/** The copy of an answer in a mailbox's Sent folder. */
type SentCopy = {
  providerId: string;
  threadId: string | null;
  /** The Message-ID without brackets, as recipients see it. */
  wireMessageId: string | null;
};

export type SentThrough = {
  workspaceId: WorkspaceId;
  messageId: MessageId;
  mailboxId: string;
  /** Null if the mailbox accepted the mail but does not show it yet. */
  copy: SentCopy | null;
};

/**
 * Records that an answer left through a mailbox. Several jobs may find that out.
 * The answer becomes `sent` whatever its status was and whichever attempt sent it; only `bounced` stays.
 * Replies then find the answer by the id under which its recipients know it.
 * @returns false if the message is missing
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

/** Keeps values that an earlier finder stored and this one did not see. */
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
