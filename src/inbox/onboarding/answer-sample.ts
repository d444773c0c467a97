import { takeReplyTurn } from '../../events/samples/marks.ts';
import type { Jobs } from '../../ground/catalog/jobs.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { plainMessage } from '../../helpdesk/messages/insert-message.ts';
import { lockTicketOfMessage } from '../../transport/mailflow/take/mail-tickets.ts';
import { receiveMail } from '../../transport/mailflow/take/receive.ts';
import { settleTicket } from '../../transport/mailflow/take/settle-ticket.ts';
import { conversations } from './conversations.ts';
import { sampleMessageId } from './make-samples.ts';

/** Adds the customer's reply to an answer in a sample ticket, once. Does nothing when the samples are gone. */
export async function answerAsCustomer(tx: Tx, { workspaceId, messageId }: Jobs['sample.answer']): Promise<void> {
  const ticket = await lockTicketOfMessage(tx, workspaceId, { messageId, senderId: null });
  if (ticket === undefined || ticket.requesterId === null) return;
  const turn = await takeReplyTurn(tx, { workspaceId, ticketId: ticket.id, messageId });
  const text = turn && replyOf(turn.script, turn.turn);
  if (text === undefined) return;
  const customer = await readCustomer(tx, workspaceId, ticket.requesterId);
  const answer = await tx.one<{ body: string; authorName: string | null }>(sql`
    select body, author_name as "authorName" from messages where workspace_id = ${workspaceId} and id = ${messageId}`);
  const messageIdOfReply = sampleMessageId();
  const { written } = receiveMail(
    tx,
    {
      ...plainMessage,
      workspaceId,
      origin: 'live',
      mailboxId: null,
      subject: ticket.subject,
      direction: 'inbound',
      author: { type: 'customer', contactId: customer.id, name: customer.name, email: customer.email },
      requester: null,
      defaults: { assigneeId: null, teamId: null, tags: [] },
      participantIds: [customer.id],
      knownIds: [customer.id],
      body: `${text}\n\n${quoteOf(answer)}`,
      replyText: text,
      rfcMessageId: messageIdOfReply,
      namedIds: [],
      isFromPerson: true,
      threading: { fingerprint: messageIdOfReply },
      createdAt: tx.now,
      sentAt: tx.now,
      attachments: [],
    },
    ticket,
  );
  await written;
  await settleTicket(tx, workspaceId, ticket.id);
}

async function readCustomer(
  tx: Tx,
  workspaceId: WorkspaceId,
  contactId: ContactId,
): Promise<{ id: ContactId; name: string | null; email: string }> {
  return tx.one(sql`select id, name, email from contacts where workspace_id = ${workspaceId} and id = ${contactId}`);
}

function quoteOf({ body, authorName }: { body: string; authorName: string | null }): string {
  const lines = body.split('\n').map((line) => `> ${line}`.trimEnd());
  return [`${authorName ?? 'The support team'} wrote:`, ...lines].join('\n');
}

/** Used after a customer's own replies, and for tickets without a script. */
const closingReplies = ['Thank you, that helps.', 'All clear now, thanks again.', 'Thank you, and have a good day!'];

/** @returns undefined once the customer has nothing left to say */
function replyOf(script: number | null, turn: number): string | undefined {
  const own = script === null ? [] : (conversations[script]?.replies ?? []);
  return own[turn] ?? closingReplies[turn - own.length];
}
