import { record } from '../activity/record.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { nameMailIds } from './mail-ids.ts';

/** An answer on its way out, with what its mail needs. */
export type Delivery = {
  workspaceId: WorkspaceId;
  messageId: MessageId;
  ticketId: TicketId;
  /** Ours; the same at every attempt. */
  rfcMessageId: string;
  subject: string;
  author: { name: string | null };
  to: string[];
  cc: string[];
  body: string;
  bodyHtml: string | null;
  /** Message-IDs of the conversation that the customer has seen, oldest first. */
  conversation: string[];
  /** The customer's last mail: what this one answers. */
  answered: string | null;
};

/** A reply names no more ids than these, the newest. */
const conversationMax = 100;

/**
 * Takes an answer for sending: `queued → sending`, by a guarded update, so that of two workers one has it. Its Message-ID is
 * given here and known to the ticket before the mail leaves, so that the reply to it finds its way.
 * @returns undefined when it is not waiting any more
 */
export async function claimDelivery(
  tx: Tx,
  { workspaceId, messageId, rfcMessageId }: Pick<Delivery, 'workspaceId' | 'messageId' | 'rfcMessageId'>,
): Promise<Delivery | undefined> {
  const claimed = await tx.maybe<
    Omit<Delivery, 'workspaceId' | 'messageId' | 'conversation' | 'answered' | 'subject' | 'author'> & {
      authorName: string | null;
    }
  >(sql`
    update messages
    set delivery_status = 'sending', delivery_attempts = delivery_attempts + 1, delivery_next_attempt_at = null,
      rfc_message_id = coalesce(rfc_message_id, ${rfcMessageId})
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'queued'
    returning ticket_id as "ticketId", rfc_message_id as "rfcMessageId", author_name as "authorName", to_addresses as "to",
      cc_addresses as cc, body, body_html as "bodyHtml"`);
  if (claimed === undefined) return undefined;
  const { authorName, ...message } = claimed;
  const { ticketId } = message;
  const [ticket, mails] = await together([
    tx.one<{ subject: string }>(
      sql`select subject from tickets where workspace_id = ${workspaceId} and id = ${ticketId}`,
    ),
    tx.rows<{ rfcMessageId: string; direction: string }>(sql`
      select rfc_message_id as "rfcMessageId", direction
      from messages
      where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and id <> ${messageId}
        and rfc_message_id is not null and direction <> 'internal'
      order by created_at desc, id desc
      limit ${conversationMax}`),
    nameMailIds(tx, { workspaceId, ticketId }, { ids: [], own: { id: message.rfcMessageId, messageId } }),
  ]);
  return {
    ...message,
    workspaceId,
    messageId,
    subject: ticket.subject,
    author: { name: authorName },
    conversation: mails.map((mail) => mail.rfcMessageId).reverse(),
    answered: mails.find(({ direction }) => direction === 'inbound')?.rfcMessageId ?? null,
  };
}

export type DeliveryOutcome =
  | { status: 'sent' }
  | { status: 'queued'; error: string; nextAttemptAt: Date }
  | { status: 'failed' | 'uncertain'; error: string };

/**
 * Writes how an attempt ended, and tells it where it is final. An attempt that was taken for dead and given up as uncertain
 * may still report; a mail that is settled otherwise stays as it is.
 */
export async function settleDelivery(
  tx: Tx,
  { workspaceId, messageId }: Pick<Delivery, 'workspaceId' | 'messageId'>,
  outcome: DeliveryOutcome,
): Promise<void> {
  const settled = await tx.maybe<{ ticketId: string }>(sql`
    update messages
    set delivery_status = ${outcome.status}, delivery_error = ${'error' in outcome ? outcome.error : null},
      delivery_sent_at = ${outcome.status === 'sent' ? tx.now : null}::timestamptz,
      delivery_next_attempt_at = ${outcome.status === 'queued' ? outcome.nextAttemptAt : null}::timestamptz
    where workspace_id = ${workspaceId} and id = ${messageId}
      and delivery_status = any(${outcome.status === 'uncertain' ? ['sending'] : ['sending', 'uncertain']}::text[])
    returning ticket_id as "ticketId"`);
  if (settled === undefined || outcome.status === 'queued') return;
  await record(tx, {
    workspaceId,
    ticketId: settled.ticketId,
    actor: { type: 'system' },
    type: 'message.delivery_changed',
    data: { messageId, status: outcome.status },
  });
}
