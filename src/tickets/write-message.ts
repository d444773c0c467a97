import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import type { Fact } from '../catalog/events.ts';
import { type Tx, together } from '../database/db.ts';
import { attachFiles, type NewAttachment, sizeOfFiles } from '../files/attach.ts';
import type { AttachmentId, MessageId, TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { bytesOf, insertMessage, type NewMessage, plainMessage } from '../messages/insert-message.ts';
import { type DroppedDraft, deleteDraft } from '../messages/keep-draft.ts';
import { takeAttachments } from '../messages/take-attachments.ts';
import { nextInstant, saveTicket } from './change.ts';
import { followTicket } from './follow.ts';
import { type Mailing, mailedFields, notMailed, queueMailing } from './mailing.ts';
import { recordState } from './record-state.ts';
import { addParticipants, refreshTicketSearch } from './rows.ts';
import type { Ticket } from './schema.ts';
import { refreshWaiting } from './summary.ts';
import { makeUnreadFor } from './unread.ts';

/** Who writes: a member, or else a customer or the service. */
export type Writer = { workspaceId: WorkspaceId } & (Pick<Actor, 'userId'> | { type: 'customer' | 'system' });

/** A message with all that it brings along. A missing field is empty. */
export type MessageToWrite = Pick<NewMessage, 'direction' | 'author' | 'body'> &
  Partial<Omit<NewMessage, 'id' | 'workspaceId' | 'ticketId' | 'createdAt'>> & {
    mailing?: Mailing;
    /** Members whom the text mentions. They follow the ticket from now on. */
    mentioned?: readonly UserId[];
    /** Files whose bytes are stored already. */
    files?: readonly NewAttachment[];
    /** Uploads of the writer. */
    attachmentIds?: readonly AttachmentId[];
    /** The writer's draft of this text. */
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
 * Writes a message and all that follows from it: the ticket's count, newest message, wait and search words, files,
 * participants, followers, unread marks, fact, delivery, and the end of the draft. Nothing else inserts a message.
 * @param by who writes
 * @param on the locked ticket before the message, and as the message leaves it
 */
export async function writeMessage(
  tx: Tx,
  by: Writer,
  on: { before: Ticket; after: Ticket },
  message: MessageToWrite,
): Promise<Written> {
  const { workspaceId } = by;
  const { mailing = notMailed, files = [], attachmentIds = [], mentioned = [], draftId, direction } = message;
  const named = { workspaceId, ticketId: on.before.id, messageId: tx.newId<MessageId>() };
  const { messageId, ticketId } = named;
  // Before everything else: of two tabs that send a draft, the second must learn that the draft is gone.
  const dropped = draftId !== undefined && 'userId' in by ? await deleteDraft(tx, by, { draftId }) : undefined;
  const at = nextInstant(tx, on.before.lastMessageAt);
  const after = { ...on.after, messageCount: on.before.messageCount + 1, lastMessageAt: at };
  const isAnswer = direction === 'outbound' && (!mailing.isMailed || goesTo(mailing, after.requester));
  const newest = { id: messageId, direction, author: message.author, body: message.replyText ?? message.body };
  const about = { workspaceId, ticketId, actor: factActorOf(by) };
  const addsWords = mailing.contactIds.length > 0 || files.length > 0 || attachmentIds.length > 0;
  const [saved, , reached, , waiting, counted] = await together([
    saveTicket(tx, workspaceId, after, { ...newest, isAnswer }),
    writeRows(tx, by, named, { ...message, createdAt: new Date(at) }),
    record(tx, {
      ...about,
      type: 'message.added',
      data: { messageId, direction },
      mentioned: { messageId, userIds: mentioned },
    }),
    recordState(tx, about, on),
    mailing.isMailed && !isAnswer ? refreshWaiting(tx, workspaceId, ticketId) : undefined,
    addsWords ? refreshTicketSearch(tx, workspaceId, ticketId) : undefined,
  ]);
  const bytes = bytesOf(message) + sizeOfFiles(files) - (dropped?.sizeBytes ?? 0);
  return { messageId, ticket: { ...saved, ...waiting, ...counted }, reached, dropped, bytes };
}

type Named = { workspaceId: WorkspaceId; ticketId: TicketId; messageId: MessageId };

/** Writes the message's own rows. Sends all statements at once, because none needs the answer of another. */
async function writeRows(
  tx: Tx,
  by: Writer,
  named: Named,
  message: MessageToWrite & { createdAt: Date },
): Promise<void> {
  const { mailing = notMailed, files = [], attachmentIds = [], mentioned = [], bodyHtml = null } = message;
  await together([
    insertMessage(tx, { ...plainMessage, ...message, ...mailedFields(mailing), ...named, id: named.messageId }),
    attachFiles(tx, named, files),
    attachmentIds.length > 0 && 'userId' in by
      ? takeAttachments(tx, by, named, { attachmentIds, bodyHtml })
      : undefined,
    addParticipants(tx, named, mailing.contactIds),
    followTicket(tx, named, mentioned),
    makeUnreadFor(tx, named, { userIds: mentioned, ...('userId' in by && { except: by.userId }) }),
    queueMailing(tx, mailing, named),
  ]);
}

/** Whether a mail goes to the person who asked. */
function goesTo({ to, cc, bcc }: Mailing, requester: Ticket['requester']): boolean {
  return requester !== null && [...to, ...cc, ...bcc].map(caseKey).includes(caseKey(requester.email));
}

function factActorOf(by: Writer): Fact<'message.added'>['actor'] {
  return 'userId' in by ? { type: 'agent', userId: by.userId } : { type: by.type };
}
