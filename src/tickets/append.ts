import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { AttachmentId, MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { sanitizeHtml } from '../lib/sanitize.ts';
import { mentionedUsers } from '../notifications/rules.ts';
import { type Tx, together } from '../platform/db.ts';
import { enqueue } from '../platform/enqueue.ts';
import { sql } from '../platform/sql.ts';
import { lockTicket, nextInstant, saveTicket } from './change.ts';
import type { StoredMessage } from './message-schema.ts';
import { getMessage } from './queries.ts';
import { insertMessage, plainMessage, refreshTicketSearch } from './rows.ts';
import type { Ticket } from './schema.ts';

export type AppendMessage = {
  ticketId: string;
  body: string;
  bodyHtml?: string;
  isInternal?: boolean;
  sendEmail?: boolean;
  toAddresses?: string[];
  ccAddresses?: string[];
  attachmentIds?: string[];
};

const recipientsMax = 100;
/** The queue's delays add up to about two days over so many attempts. */
const deliveryAttemptsMax = 17;

/**
 * Adds an agent's answer or note. An answer that is to be mailed is queued here: the message, its fact and its job are one
 * commit, so neither exists without the others.
 */
export async function appendMessage(
  tx: Tx,
  actor: Actor,
  input: AppendMessage,
): Promise<{ message: StoredMessage; ticket: Ticket }> {
  const { workspaceId, userId } = actor;
  const before = await lockTicket(tx, { workspaceId, ticketId: input.ticketId, ifMatch: undefined });
  const isInternal = input.isInternal === true;
  const isMailed = input.sendEmail === true && !isInternal;
  const { to, cc } = isMailed ? recipientsOf(before, input) : { to: [], cc: [] };
  const messageId = tx.newId();
  const at = nextInstant(tx, before.lastMessageAt);
  const direction = isInternal ? ('internal' as const) : ('outbound' as const);
  const [ticket] = await together([
    saveTicket(tx, workspaceId, {
      ...before,
      messageCount: before.messageCount + 1,
      lastMessageAt: at,
    }),
    insertMessage(tx, {
      ...plainMessage,
      id: messageId,
      workspaceId,
      ticketId: before.id,
      direction,
      author: { type: 'agent', userId },
      body: input.body,
      bodyHtml: input.bodyHtml === undefined ? null : sanitizeHtml(input.bodyHtml).trim() || null,
      toAddresses: to,
      ccAddresses: cc,
      deliveryStatus: isMailed ? 'queued' : null,
      createdAt: new Date(at),
    }),
    record(tx, {
      workspaceId,
      ticketId: before.id,
      actor: { type: 'agent', userId },
      type: 'message.added',
      data: { messageId, direction },
      tell: {
        fact: { type: 'message.added', by: 'agent', mentioned: mentionedUsers(input.body) },
        ticket: before,
        messageId,
      },
    }),
    isMailed
      ? enqueue(
          tx,
          'mail.deliver',
          { workspaceId, messageId },
          { key: `mail.deliver:${messageId}`, maxAttempts: deliveryAttemptsMax },
        )
      : undefined,
  ]);
  if (input.attachmentIds !== undefined && input.attachmentIds.length > 0) {
    await takeAttachments(tx, { workspaceId, ticketId: before.id, messageId }, input.attachmentIds);
    await refreshTicketSearch(tx, workspaceId, before.id);
  }
  return { message: await getMessage(tx, workspaceId, messageId), ticket };
}

function recipientsOf(
  ticket: Ticket,
  { toAddresses = [], ccAddresses: cc = [] }: AppendMessage,
): { to: string[]; cc: string[] } {
  if (toAddresses.length + cc.length > recipientsMax) {
    throw invalidRequest({ path: 'body.ccAddresses', message: `makes more than ${recipientsMax} recipients` });
  }
  if (toAddresses.length > 0) return { to: toAddresses, cc };
  if (ticket.requester !== null) return { to: [ticket.requester.email], cc };
  throw invalidRequest({ path: 'body.toAddresses', message: 'is needed: the ticket has no requester to send to' });
}

/** Takes uploads of this ticket that no message has; of two messages that want the same one, the guarded update lets one have it. */
async function takeAttachments(
  tx: Tx,
  { workspaceId, ticketId, messageId }: { workspaceId: WorkspaceId; ticketId: TicketId; messageId: MessageId },
  attachmentIds: readonly AttachmentId[],
): Promise<void> {
  const wanted = [...new Set(attachmentIds)];
  const taken = await tx.run(sql`
    update attachments set message_id = ${messageId}
    where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and id = any(${wanted}::uuid[]) and message_id is null`);
  if (taken !== wanted.length) {
    throw invalidRequest({
      path: 'body.attachmentIds',
      message: 'names an attachment that is not of this ticket, or is in use',
    });
  }
}
