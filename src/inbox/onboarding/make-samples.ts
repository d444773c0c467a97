import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { record } from '../../events/activity/record.ts';
import { listSamples, markSample, sampleDomain } from '../../events/samples/marks.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { type MessageId, newId, type TicketId } from '../../ground/lib/ids.ts';
import { type Contact, upsertContact } from '../../helpdesk/contacts/upsert.ts';
import { takeStorage } from '../../helpdesk/files/storage-quota.ts';
import { bytesOf, type MessageAuthor, readAuthor } from '../../helpdesk/messages/insert-message.ts';
import { defaultPriority } from '../../helpdesk/tickets/priority.ts';
import { insertTicket, takeTicketNumber } from '../../helpdesk/tickets/rows.ts';
import { summarise } from '../../helpdesk/tickets/summary.ts';
import { type MailToWrite, writeMail } from '../../helpdesk/tickets/write-message.ts';
import { type Conversation, conversations } from './conversations.ts';
import { sampleFile } from './sample-file.ts';
import type { SampleTicket } from './schema.ts';

/**
 * Makes one ticket for each conversation. Throws 409 when the workspace already has samples.
 * @param sha256 the hash of the sample file, which is already stored
 */
export async function makeSamples(tx: Tx, actor: Actor, sha256: string): Promise<SampleTicket[]> {
  const { workspaceId } = actor;
  await lockWorkspace(tx, workspaceId);
  if ((await listSamples(tx, workspaceId)).length > 0) throw new AppError('sample.exists');
  const writer = await readAuthor(tx, actor.userId);
  const tickets: SampleTicket[] = [];
  for (const [script, conversation] of conversations.entries()) {
    const requester = await upsertContact(tx, workspaceId, conversation.from);
    tickets.push(await makeOne(tx, actor, { script, conversation, requester, writer, sha256 }));
  }
  const bytes = conversations.flatMap(({ messages }) => messages).reduce((sum, said) => sum + bytesOf(said), 0);
  takeStorage(tx, workspaceId, bytes + sampleFile.content.length);
  return tickets;
}

type Sample = {
  script: number;
  conversation: Conversation;
  requester: Contact;
  writer: MessageAuthor;
  sha256: string;
};

async function makeOne(
  tx: Tx,
  actor: Actor,
  { script, conversation, requester, writer, sha256 }: Sample,
): Promise<SampleTicket> {
  const { workspaceId } = actor;
  const { subject, messages, tags = [], status = 'open', priority = defaultPriority, isMine = false } = conversation;
  const id = tx.newId<TicketId>();
  const times = messages.map(({ minutesAgo }) => new Date(tx.now.getTime() - minutesAgo * 60_000));
  const named = { workspaceId, ticketId: id };
  const customer = { workspaceId, userId: null, isCustomer: true };
  const ticketNumber = await takeTicketNumber(tx, workspaceId);
  await together([
    insertTicket(tx, {
      ...{ id, ticketNumber, workspaceId, subject, status, priority, requester },
      assigneeId: isMine ? actor.userId : null,
      tags: ['sample', ...tags],
      channel: 'email',
      messageCount: messages.length,
      createdAt: times[0] ?? tx.now,
      lastMessageAt: times.at(-1) ?? tx.now,
      attachmentNames: messages.flatMap(({ hasFile }) => (hasFile === true ? [sampleFile.fileName] : [])),
    }),
    markSample(tx, named, script),
    ...messages.map((said, index) => {
      const isLast = index === messages.length - 1;
      const message = messageOf(tx, said, { requester, writer, createdAt: times[index] ?? tx.now, sha256 });
      const isNews = isLast && status !== 'closed' && message.direction === 'inbound';
      const news = isNews ? { news: { knownBy: null } } : {};
      return writeMail(tx, customer, { madeWith: id }, { ...message, ...news });
    }),
    record(tx, customer, { ticketId: id, type: 'ticket.created', data: { channel: 'email' } }),
  ]);
  await summarise(tx, workspaceId, id);
  return { id, ticketNumber, subject };
}

function messageOf(
  tx: Tx,
  { by, body, bodyHtml, replyText, hasFile }: Conversation['messages'][number],
  { requester, writer, createdAt, sha256 }: Pick<Sample, 'requester' | 'writer' | 'sha256'> & { createdAt: Date },
): MailToWrite {
  const { id: contactId, name, email } = requester;
  const { content, ...file } = sampleFile;
  const isAnswer = by === 'agent';
  return {
    ...{ id: tx.newId<MessageId>(), body, createdAt, replyText: replyText ?? null },
    bodyHtml: bodyHtml === undefined ? null : sanitizeHtml(bodyHtml),
    direction: ({ customer: 'inbound', agent: 'outbound', note: 'internal' } as const)[by],
    author: by === 'customer' ? { type: 'customer', contactId, name, email } : writer,
    toAddresses: isAnswer ? [email] : [],
    deliveryStatus: isAnswer ? 'sent' : null,
    rfcMessageId: by === 'note' ? null : sampleMessageId(),
    sentAt: by === 'customer' ? createdAt : null,
    participantIds: [contactId],
    files: hasFile === true ? [{ ...file, sizeBytes: content.length, sha256, contentId: null, isInline: false }] : [],
  };
}

/** A Message-ID makes the customer count as a known correspondent. */
export function sampleMessageId(): string {
  return `${newId().replaceAll('-', '')}@${sampleDomain}`;
}
