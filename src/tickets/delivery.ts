import { record } from '../activity/record.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { type Sql, sql } from '../platform/sql.ts';
import { getInboundAddress, type InboundAddress } from '../workspaces/inbound-address.ts';
import { findLocked } from './change.ts';
import { type Conversation, conversationOf, type TicketMail } from './conversation.ts';
import { reopenTicket } from './reopen.ts';

/** An answer on its way out, with what its mail needs. */
export type Delivery = {
  workspaceId: WorkspaceId;
  messageId: MessageId;
  ticketId: TicketId;
  /** Which attempt this is: what it writes counts while no later one has begun. */
  attempt: number;
  /** Ours; the same at every attempt. */
  rfcMessageId: string;
  subject: string;
  /** Whether other mail of the ticket came or went before. */
  isReply: boolean;
  author: { name: string | null };
  to: string[];
  cc: string[];
  body: string;
  bodyHtml: string | null;
  files: DeliveredFile[];
  conversation: Conversation;
  inbound: InboundAddress;
};

export type DeliveredFile = {
  fileName: string;
  contentType: string;
  sha256: string;
  contentId: string | null;
  isInline: boolean;
};

type Named = { workspaceId: WorkspaceId; messageId: MessageId };

/**
 * Takes an answer for sending: `queued → sending`, by a guarded update, so that of two workers one has it. One that was cut
 * off in `sending` before any of it was handed over is taken again: the attempt's number shuts the other out, should it live.
 * @returns undefined when it does not wait to be sent
 */
export async function claimDelivery(
  tx: Tx,
  { workspaceId, messageId, rfcMessageId }: Named & Pick<Delivery, 'rfcMessageId'>,
): Promise<Delivery | undefined> {
  const claimed = await tx.maybe<
    Pick<Delivery, 'ticketId' | 'attempt' | 'rfcMessageId' | 'to' | 'cc' | 'body' | 'bodyHtml'> & {
      authorName: string | null;
    }
  >(sql`
    update messages
    set delivery_status = 'sending', delivery_attempts = delivery_attempts + 1, delivery_next_attempt_at = null,
      rfc_message_id = coalesce(rfc_message_id, ${rfcMessageId})
    where workspace_id = ${workspaceId} and id = ${messageId} and handing_over_at is null
      and delivery_status in ('queued', 'sending')
    returning ticket_id as "ticketId", delivery_attempts as attempt, rfc_message_id as "rfcMessageId",
      author_name as "authorName", to_addresses as "to", cc_addresses as cc, body, body_html as "bodyHtml"`);
  if (claimed === undefined) return undefined;
  const { authorName, ...message } = claimed;
  const [ticket, mails, files, inbound] = await together([
    tx.one<{ subject: string }>(
      sql`select subject from tickets where workspace_id = ${workspaceId} and id = ${message.ticketId}`,
    ),
    readMailsBefore(tx, { workspaceId, messageId, ticketId: message.ticketId }),
    readFiles(tx, { workspaceId, messageId }),
    getInboundAddress(tx, workspaceId),
  ]);
  return {
    ...message,
    workspaceId,
    messageId,
    subject: ticket.subject,
    isReply: mails.length > 0,
    author: { name: authorName },
    files,
    conversation: conversationOf(mails, [...message.to, ...message.cc]),
    inbound,
  };
}

/** A reply names no more ids than these, the newest. */
const conversationMax = 100;

/**
 * The mails of the ticket that were there when the message was written, as far as they came or left, oldest first. Notes
 * are none, nor are answers that nobody got.
 */
async function readMailsBefore(
  tx: Tx,
  { workspaceId, messageId, ticketId }: Named & { ticketId: TicketId },
): Promise<TicketMail[]> {
  const newestFirst = await tx.rows<TicketMail>(sql`
    select m.rfc_message_id as "rfcMessageId", m.direction, m.automatic_kind as "automaticKind",
      m.author_email as "authorEmail", m.to_addresses as "to", m.cc_addresses as cc, m.reply_to_addresses as "replyTo"
    from messages m
    join messages own on own.workspace_id = ${workspaceId} and own.id = ${messageId}
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id <> ${messageId}
      and m.rfc_message_id is not null
      and (m.direction = 'inbound' or (m.direction = 'outbound' and m.delivery_status in ('sent', 'uncertain', 'bounced')))
      and coalesce(m.arrived_at, m.created_at) < coalesce(own.arrived_at, own.created_at)
    order by m.created_at desc, m.id desc
    limit ${conversationMax}`);
  return newestFirst.reverse();
}

async function readFiles(tx: Tx, { workspaceId, messageId }: Named): Promise<DeliveredFile[]> {
  return tx.rows<DeliveredFile>(sql`
    select file_name as "fileName", content_type as "contentType", sha256, content_id as "contentId",
      is_inline as "isInline"
    from attachments
    where workspace_id = ${workspaceId} and message_id = ${messageId}
    order by id`);
}

/**
 * Notes that the mail's bytes are about to go: from here on an attempt that is cut off may have sent it.
 * Throws when the attempt is no longer the one that sends; then none of them may go.
 */
export async function beginHandingOver(
  tx: Tx,
  { workspaceId, messageId, attempt }: Pick<Delivery, 'workspaceId' | 'messageId' | 'attempt'>,
): Promise<void> {
  const begun = await tx.run(sql`
    update messages set handing_over_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'sending'
      and delivery_attempts = ${attempt} and handing_over_at is null`);
  if (begun === 0) throw new Error('another attempt has taken the mail over');
}

export type DeliveryOutcome =
  | { status: 'sent' }
  | { status: 'queued'; error: string; nextAttemptAt: Date }
  | { status: 'failed' | 'uncertain'; error: string };

/**
 * Writes how an attempt ended. One that was taken for dead and given up as uncertain may still report; a mail that is
 * settled otherwise, or that a later attempt has, stays as it is.
 * @returns whether it was this attempt's to settle
 */
export async function settleDelivery(
  tx: Tx,
  { attempt, ...named }: Pick<Delivery, 'workspaceId' | 'messageId' | 'attempt'>,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const from = outcome.status === 'uncertain' ? ['sending'] : ['sending', 'uncertain'];
  const guard = sql`delivery_attempts = ${attempt} and delivery_status = any(${from}::text[])`;
  if (outcome.status === 'failed' || outcome.status === 'uncertain') return endBadly(tx, named, { ...outcome, guard });
  const { workspaceId, messageId } = named;
  const settled = await tx.maybe<{ ticketId: string }>(sql`
    update messages
    set delivery_status = ${outcome.status}, delivery_error = ${outcome.status === 'queued' ? outcome.error : null},
      delivery_sent_at = ${outcome.status === 'sent' ? tx.now : null}::timestamptz,
      delivery_next_attempt_at = ${outcome.status === 'queued' ? outcome.nextAttemptAt : null}::timestamptz,
      handing_over_at = case when ${outcome.status} = 'sent' then handing_over_at end
    where workspace_id = ${workspaceId} and id = ${messageId} and ${guard}
    returning ticket_id as "ticketId"`);
  if (settled === undefined) return false;
  if (outcome.status === 'sent') await recordDelivery(tx, { ...named, ticketId: settled.ticketId }, 'sent');
  return true;
}

/** Says of a mail that was cut off while it was handed over that nobody knows; of others nothing. */
export function settleCutOff(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped while the mail was being handed over: whether it left is not known';
  const guard = sql`delivery_status = 'sending' and handing_over_at is not null`;
  return endBadly(tx, named, { status: 'uncertain', error, guard });
}

/** Ends a mail that none of its attempts could send. */
export function giveUpDelivery(tx: Tx, named: Named): Promise<boolean> {
  const error = 'the service was stopped at every attempt before the mail could be handed over';
  const guard = sql`delivery_status in ('queued', 'sending') and handing_over_at is null`;
  return endBadly(tx, named, { status: 'failed', error, guard });
}

/**
 * Marks the answer that a bounce is about: one that left, or may have. Again, or of one that did not leave, it changes
 * nothing.
 * @param error what the bounce says, for people
 */
export function markBounced(tx: Tx, { error, ...named }: Named & { error: string }): Promise<boolean> {
  const guard = sql`delivery_status in ('sending', 'sent', 'uncertain')`;
  return endBadly(tx, named, { status: 'bounced', error, guard });
}

/** Writes that a mail did not arrive, and brings its ticket back to its people. @returns whether the guard held */
async function endBadly(
  tx: Tx,
  named: Named,
  { status, error, guard }: { status: 'failed' | 'uncertain' | 'bounced'; error: string; guard: Sql },
): Promise<boolean> {
  const { workspaceId, messageId } = named;
  const ticket = await lockTicketOf(tx, named);
  if (ticket === undefined) return false;
  const ended = await tx.run(sql`
    update messages
    set delivery_status = ${status}, delivery_error = ${error}, delivery_next_attempt_at = null
    where workspace_id = ${workspaceId} and id = ${messageId} and ${guard}`);
  if (ended === 0) return false;
  await together([
    recordDelivery(tx, { ...named, ticketId: ticket.id }, status),
    reopenTicket(tx, workspaceId, { ticket, wokenBy: 'delivery' }),
  ]);
  return true;
}

/** The ticket first, as whoever changes a ticket's messages does it: two that lock in one order do not collide. */
async function lockTicketOf(tx: Tx, { workspaceId, messageId }: Named) {
  for (;;) {
    const message = await tx.maybe<{ ticketId: TicketId }>(sql`
      select ticket_id as "ticketId" from messages where workspace_id = ${workspaceId} and id = ${messageId}`);
    if (message === undefined) return undefined;
    const ticket = await findLocked(tx, workspaceId, message.ticketId);
    const isStillThere = await tx.maybe(sql`
      select from messages where workspace_id = ${workspaceId} and id = ${messageId} and ticket_id = ${message.ticketId}`);
    // Else it was moved to another ticket while this one was waited for.
    if (isStillThere !== undefined) return ticket;
  }
}

function recordDelivery(
  tx: Tx,
  { workspaceId, messageId, ticketId }: Named & { ticketId: TicketId },
  status: string,
): Promise<void> {
  const actor = { type: 'system' } as const;
  return record(tx, { workspaceId, ticketId, actor, type: 'message.delivery_changed', data: { messageId, status } });
}
