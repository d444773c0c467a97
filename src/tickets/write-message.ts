import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import type { Fact } from '../catalog/events.ts';
import { type Tx, together } from '../database/db.ts';
import { attachFiles, type NewAttachment, sizeOfFiles } from '../files/attach.ts';
import type { AttachmentId, ContactId, MessageId, TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { bytesOf, insertMessage, type NewMessage, plainMessage } from '../messages/insert-message.ts';
import { type DroppedDraft, deleteDraft } from '../messages/keep-draft.ts';
import { takeAttachments } from '../messages/take-attachments.ts';
import { isSampleAddress, markSample } from '../samples/marks.ts';
import { nextInstant, saveTicket } from './change.ts';
import { followTicket } from './follow.ts';
import { type Mailing, mailedFields, notMailed, queueMailing } from './mailing.ts';
import { recordState } from './record-state.ts';
import { addParticipants, insertTicket, type NewTicket, refreshTicketSearch } from './rows.ts';
import type { Ticket } from './schema.ts';
import { refreshWaiting } from './summary.ts';
import { makeUnread, makeUnreadFor } from './unread.ts';

/** Who writes: a member, or else a customer or the service. */
export type Writer = { workspaceId: WorkspaceId } & (Pick<Actor, 'userId'> | { type: 'customer' | 'system' });

/** The ticket of a message: a new ticket, or a locked ticket before the message and as the message leaves it. */
export type On = { opened: Omit<NewTicket, 'workspaceId' | 'firstMessage'> } | { before: Ticket; after: Ticket };

/** A message with all that it brings along. A missing field is empty. */
export type MessageToWrite = Pick<NewMessage, 'direction' | 'author' | 'body'> &
  Partial<Omit<NewMessage, 'id' | 'workspaceId' | 'ticketId' | 'createdAt'>> & {
    mailing?: Mailing;
    /** Contacts who take part in the ticket from now on, beside the recipients of the mailing. */
    participantIds?: readonly ContactId[];
    /** Members whom the text mentions. They follow the ticket from now on. */
    mentioned?: readonly UserId[];
    /** The message makes the ticket unread for all members, but for the one who knows it already. */
    news?: { knownBy: UserId | null };
    /** Files whose bytes are stored already. */
    files?: readonly NewAttachment[];
    /** Uploads of the member who writes. */
    attachmentIds?: readonly AttachmentId[];
    /** The draft of the member who writes. */
    draftId?: string | undefined;
  };

export type Written = {
  messageId: MessageId;
  /** The ticket as it is now. */
  ticket: Ticket;
  /** The members who were notified. */
  reached: UserId[];
  dropped: DroppedDraft | undefined;
  /** How much more storage is used, which the caller counts. */
  bytes: number;
};

/**
 * Writes a message and all that follows from it: the ticket's row with its newest message and wait, files,
 * participants, followers, unread marks, delivery, facts and search words. Ends the draft of the message.
 */
export async function writeMessage(tx: Tx, by: Writer, on: On, message: MessageToWrite): Promise<Written> {
  const { workspaceId } = by;
  const { mailing = notMailed, files = [], attachmentIds = [], draftId } = message;
  const { id: ticketId, requester } = 'opened' in on ? on.opened : on.after;
  const messageId = tx.newId<MessageId>();
  const createdAt = 'before' in on ? new Date(nextInstant(tx, on.before.lastMessageAt)) : tx.now;
  const isAnswer = message.direction === 'outbound' && (!mailing.isMailed || goesTo(mailing, requester));
  const whole = { ...message, workspaceId, ticketId, messageId, createdAt, isAnswer };
  // Awaited alone: of two tabs that send a draft, the second hears that the draft is gone, and of no other fault.
  const dropped = draftId !== undefined && 'userId' in by ? await deleteDraft(tx, by, { draftId }) : undefined;
  const mayWait = 'before' in on && mailing.isMailed && !isAnswer;
  const addsWords = mailing.contactIds.length > 0 || files.length > 0 || attachmentIds.length > 0;
  const [ticket, , reached, waiting, counted] = await together([
    writeTicket(tx, on, whole),
    writeRows(tx, by, whole),
    recordFacts(tx, by, on, whole),
    mayWait ? refreshWaiting(tx, workspaceId, ticketId) : undefined,
    addsWords ? refreshTicketSearch(tx, workspaceId, ticketId) : undefined,
  ]);
  const bytes = bytesOf(message) + sizeOfFiles(files) - (dropped?.sizeBytes ?? 0);
  return { messageId, ticket: { ...ticket, ...waiting, ...counted }, reached, dropped, bytes };
}

type Whole = MessageToWrite & {
  workspaceId: WorkspaceId;
  ticketId: TicketId;
  messageId: MessageId;
  createdAt: Date;
  /** Whether nobody waits any more. */
  isAnswer: boolean;
};

/** Inserts or saves the row of the ticket, with its summary of the message. */
async function writeTicket(tx: Tx, on: On, message: Whole): Promise<Ticket> {
  const { workspaceId, messageId: id, direction, author, createdAt, isAnswer } = message;
  const newest = { id, direction, author, body: message.replyText ?? message.body };
  if ('before' in on) {
    const { messageCount } = on.before;
    const after = { ...on.after, messageCount: messageCount + 1, lastMessageAt: createdAt.toISOString() };
    return saveTicket(tx, workspaceId, after, { ...newest, isAnswer });
  }
  const { requester } = on.opened;
  const [ticket] = await together([
    insertTicket(tx, { ...on.opened, workspaceId, firstMessage: newest }),
    requester !== null && isSampleAddress(requester.email) ? markSample(tx, message, null) : undefined,
  ]);
  return ticket;
}

/** Writes the message's own rows. */
async function writeRows(tx: Tx, by: Writer, message: Whole): Promise<void> {
  const { mailing = notMailed, participantIds = [], mentioned = [], news, files = [], attachmentIds = [] } = message;
  const { bodyHtml = null } = message;
  const userId = 'userId' in by ? by.userId : undefined;
  await together([
    insertMessage(tx, { ...plainMessage, ...message, ...mailedFields(mailing), id: message.messageId }),
    attachFiles(tx, message, files),
    attachmentIds.length > 0 && userId !== undefined
      ? takeAttachments(tx, { ...by, userId }, message, { attachmentIds, bodyHtml })
      : undefined,
    addParticipants(tx, message, [...new Set([...participantIds, ...mailing.contactIds])]),
    followTicket(tx, message, mentioned),
    news === undefined
      ? makeUnreadFor(tx, message, { userIds: mentioned, except: userId })
      : makeUnread(tx, message, news.knownBy),
    queueMailing(tx, mailing, message),
  ]);
}

/**
 * Records what happened. The rules of notifications read the rows, which are sent before.
 * @returns the members who were notified of the message
 */
async function recordFacts(
  tx: Tx,
  by: Writer,
  on: On,
  { workspaceId, ticketId, messageId, direction, mentioned = [] }: Whole,
): Promise<UserId[]> {
  const actor: Fact<'message.added'>['actor'] =
    'userId' in by ? { type: 'agent', userId: by.userId } : { type: by.type };
  const about = { workspaceId, ticketId, actor, mentioned: { messageId, userIds: mentioned } };
  if ('before' in on) {
    const [reached] = await together([
      record(tx, { ...about, type: 'message.added', data: { messageId, direction } }),
      recordState(tx, about, on),
    ]);
    return reached;
  }
  const { channel, assigneeId = null } = on.opened;
  const [reached] = await together([
    record(tx, { ...about, type: 'ticket.created', data: { channel } }),
    assigneeId === null
      ? undefined
      : record(tx, { ...about, type: 'ticket.assigned', data: { from: null, to: assigneeId } }),
  ]);
  return reached;
}

/** Whether a mail goes to the person who asked. */
function goesTo({ to, cc, bcc }: Mailing, requester: { email: string } | null): boolean {
  return requester !== null && [...to, ...cc, ...bcc].map(caseKey).includes(caseKey(requester.email));
}
