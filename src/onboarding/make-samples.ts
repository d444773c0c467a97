import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Contact, upsertContact } from '../contacts/upsert.ts';
import { type Tx, together } from '../database/db.ts';
import { attachFiles } from '../files/attach.ts';
import { takeStorage } from '../files/storage-quota.ts';
import { AppError } from '../lib/errors.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';
import { type MessageId, newId, type TicketId } from '../lib/ids.ts';
import { bytesOf, insertMessage, type MessageAuthor, plainMessage, readAuthor } from '../messages/insert-message.ts';
import { listSamples, markSample, sampleDomain } from '../samples/marks.ts';
import { defaultPriority } from '../tickets/priority.ts';
import { addParticipants, insertTicket, takeTicketNumber } from '../tickets/rows.ts';
import { summarise } from '../tickets/summary.ts';
import { makeUnread } from '../tickets/unread.ts';
import { takeTurn } from '../workspaces/standing.ts';
import { type Conversation, conversations } from './conversations.ts';
import { sampleFile } from './sample-file.ts';
import type { SampleTicket } from './schema.ts';

type Options = {
  /** The hash of the sample file, which is already stored. */
  sha256: string;
  storageBytesMax: number;
};

/** Makes one ticket for each conversation. Throws 409 when the workspace already has samples. */
export async function makeSamples(tx: Tx, actor: Actor, { sha256, storageBytesMax }: Options): Promise<SampleTicket[]> {
  const { workspaceId } = actor;
  await takeTurn(tx, workspaceId);
  if ((await listSamples(tx, workspaceId)).length > 0) throw new AppError('sample.exists');
  const writer = await readAuthor(tx, actor.userId);
  const tickets: SampleTicket[] = [];
  for (const [script, conversation] of conversations.entries()) {
    const requester = await upsertContact(tx, workspaceId, conversation.from);
    tickets.push(await makeOne(tx, actor, { script, conversation, requester, writer, sha256 }));
  }
  const bytes = conversations.flatMap(({ messages }) => messages).reduce((sum, said) => sum + bytesOf(said), 0);
  await takeStorage(tx, { workspaceId, bytesMax: storageBytesMax }, bytes + sampleFile.content.length);
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
  const ticketNumber = await takeTicketNumber(tx, workspaceId);
  await together([
    insertTicket(tx, {
      ...{ id, ticketNumber, workspaceId, subject, status, priority, requester },
      assigneeId: isMine ? actor.userId : null,
      tags: ['sample', ...tags],
      channel: 'email',
      mailboxId: null,
      messageCount: messages.length,
      createdAt: times[0] ?? tx.now,
      lastMessageAt: times.at(-1) ?? tx.now,
      attachmentNames: messages.flatMap(({ hasFile }) => (hasFile === true ? [sampleFile.fileName] : [])),
    }),
    markSample(tx, named, script),
    addParticipants(tx, named, [requester.id]),
    ...messages.map((said, index) =>
      say(tx, actor, { ticketId: id, said, requester, writer, createdAt: times[index] ?? tx.now, sha256 }),
    ),
    record(tx, { ...named, actor: { type: 'customer' }, type: 'ticket.created', data: { channel: 'email' } }),
  ]);
  const { lastMessage } = await summarise(tx, workspaceId, id);
  if (status !== 'closed' && lastMessage?.direction === 'inbound')
    await makeUnread(tx, { ...named, messageId: lastMessage.id });
  return { id, ticketNumber, subject };
}

async function say(
  tx: Tx,
  { workspaceId }: Actor,
  {
    ticketId,
    said,
    requester,
    writer,
    createdAt,
    sha256,
  }: {
    ticketId: TicketId;
    said: Conversation['messages'][number];
    requester: Contact;
    writer: MessageAuthor;
    createdAt: Date;
    sha256: string;
  },
): Promise<void> {
  const { by, body, bodyHtml, replyText = null, hasFile } = said;
  const { id: contactId, name, email } = requester;
  const messageId = tx.newId<MessageId>();
  const isAnswer = by === 'agent';
  await together([
    insertMessage(tx, {
      ...plainMessage,
      ...{ id: messageId, workspaceId, ticketId, body, replyText, createdAt },
      bodyHtml: bodyHtml === undefined ? null : sanitizeHtml(bodyHtml),
      direction: ({ customer: 'inbound', agent: 'outbound', note: 'internal' } as const)[by],
      author: by === 'customer' ? { type: 'customer', contactId, name, email } : writer,
      toAddresses: isAnswer ? [email] : [],
      deliveryStatus: isAnswer ? 'sent' : null,
      rfcMessageId: by === 'note' ? null : sampleMessageId(),
      sentAt: by === 'customer' ? createdAt : null,
    }),
    attachFiles(
      tx,
      { workspaceId, ticketId, messageId },
      hasFile === true
        ? [
            {
              fileName: sampleFile.fileName,
              contentType: sampleFile.contentType,
              sizeBytes: sampleFile.content.length,
              sha256,
              contentId: null,
              isInline: false,
            },
          ]
        : [],
    ),
  ]);
}

/** A Message-ID makes the customer count as a known correspondent. */
export function sampleMessageId(): string {
  return `${newId().replaceAll('-', '')}@${sampleDomain}`;
}
