import { record } from '../../events/activity/record.ts';
import { isSampleAddress, markSample } from '../../events/samples/marks.ts';
import type { Cause } from '../../ground/catalog/cause.ts';
import { automation, because, type Performer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import type { AttachmentId, ContactId, MessageId, TicketId, UserId } from '../../ground/lib/ids.ts';
import { attachFiles, type NewAttachment, sizeOfFiles } from '../files/attach.ts';
import { takeStorage } from '../files/storage-quota.ts';
import type { DraftOwner } from '../messages/drafts.ts';
import { bytesOf, insertMessage, type NewMessage, plainMessage } from '../messages/insert-message.ts';
import { type DroppedDraft, deleteDraft } from '../messages/keep-draft.ts';
import { nameMailIds } from '../messages/mail-ids.ts';
import { takeAttachments } from '../messages/take-attachments.ts';
import { nextInstant, saveTicket } from './change.ts';
import { followTicket } from './follow.ts';
import { answers, type Mailing, mailedFields, notMailed, queueMailing } from './mailing.ts';
import { recordChange } from './record-change.ts';
import { addParticipants, insertTicket, type NewTicket, refreshTicketSearch } from './rows.ts';
import type { Ticket } from './schema.ts';
import { type NewestMessage, recount, refreshWaiting } from './summary.ts';
import { stateFacts, type TicketState } from './ticket-change.ts';
import { makeUnread, makeUnreadFor } from './unread.ts';

/** The ticket of a message: a new ticket, or a locked ticket before the message and as the message leaves it. */
export type On = Opened | Locked;
type Opened = { opened: Omit<NewTicket, 'workspaceId' | 'firstMessage'> };
type Locked = {
  before: Ticket;
  after: Ticket;
  reason?: string | undefined;
  /** What the writer made of the ticket, before a saved reply changed it for the reason. */
  chosen?: { ticket: Ticket; because: Cause };
};

/**
 * The ticket of a mail: a new ticket, or the state of a locked ticket before and after the mail. `madeWith` is a ticket
 * that comes with several messages: its own fact tells of them.
 */
export type OnOfMail = Opened | { before: TicketState & { id: TicketId }; after: TicketState } | { madeWith: TicketId };

/** A message with all that it brings along. A missing field is empty. */
export type MessageToWrite = Pick<NewMessage, 'direction' | 'author' | 'body'> &
  Partial<Omit<NewMessage, 'workspaceId' | 'ticketId'>> & {
    mailing?: Mailing;
    /** Contacts who take part in the ticket from now on, beside the recipients of the mailing. */
    participantIds?: readonly ContactId[];
    /** Those of them whom this message makes known to the ticket; all if missing. */
    knownIds?: readonly ContactId[];
    /** Members whom the text mentions. They follow the ticket from now on. */
    mentioned?: readonly UserId[];
    /** The member who writes to the requester, and hears of what comes back: follows the ticket from now on. */
    answeredBy?: UserId | undefined;
    /** The message makes the ticket unread for all members, except for the one who knows it already. */
    news?: { knownBy: UserId | null };
    /** Files whose bytes are stored already. */
    files?: readonly NewAttachment[];
    /** Uploads of the member who writes. */
    attachmentIds?: readonly AttachmentId[];
    /** The draft of the member who writes, and its version as they saw it. */
    draft?: { owner: DraftOwner; draftId: string | undefined; version: number | undefined };
    /** A mail: every Message-ID that it names, and whether streams and webhooks pass over it. */
    mail?: { namedIds: readonly string[]; isPast: boolean };
  };

export type MailToWrite = MessageToWrite & Pick<NewMessage, 'id' | 'createdAt'>;

export type Written = {
  messageId: MessageId;
  /** The ticket as it is now. */
  ticket: Ticket;
  /** The members who were notified. */
  reached: UserId[];
  dropped: DroppedDraft | undefined;
};

/**
 * Writes a message and all that follows from it: the ticket's row with its newest message and wait, files, ids,
 * participants, followers, unread marks, delivery, facts and search words. Ends the draft of the message.
 * @param read reads what the caller shows of the message, in the round trip that writes it
 */
export async function writeMessage<Read = undefined>(
  tx: Tx,
  by: Performer,
  on: On,
  message: MessageToWrite,
  read: (messageId: MessageId) => Promise<Read> = async () => undefined as Read,
): Promise<Written & { read: Read }> {
  const { workspaceId } = by;
  const { mailing = notMailed, files = [], attachmentIds = [], draft } = message;
  const { id: ticketId, requester } = 'opened' in on ? on.opened : on.after;
  const createdAt = 'opened' in on ? tx.now : new Date(nextInstant(tx, on.before.lastMessageAt));
  const whole = { ...message, workspaceId, ticketId, id: tx.newId<MessageId>(), createdAt };
  // Awaited alone: of two tabs that send a draft, the second hears that the draft is gone, and of no other fault.
  const dropped =
    draft?.draftId === undefined ? undefined : await deleteDraft(tx, draft.owner, { draftId: draft.draftId }, draft);
  const isAutomatic = isAutomaticReply(message);
  const isAnswer = message.direction === 'outbound' && !isAutomatic && answers(mailing, requester);
  const mayWait = 'before' in on && mailing.isMailed && !isAnswer && !isAutomatic;
  const addsFiles = files.length > 0 || attachmentIds.length > 0;
  const mayAddPeople = mailing.contactIds.length > 0;
  const addsWords = addsFiles || mailing.isToMerged || (mayAddPeople && 'opened' in on);
  const [ticket, joined, reached, waiting, shown, counted] = await together([
    'opened' in on ? openTicket(tx, on, whole) : addToTicket(tx, on, whole, isAnswer),
    writeRows(tx, by, whole),
    recordFacts(tx, by, on, whole),
    // Until it leaves, a scheduled message is not the newest, and answers nobody.
    mailing.scheduled
      ? recount(tx, workspaceId, ticketId)
      : mayWait
        ? refreshWaiting(tx, workspaceId, ticketId)
        : undefined,
    read(whole.id),
    addsWords ? refreshTicketSearch(tx, workspaceId, ticketId) : undefined,
    'before' in on ? recordChanges(tx, by, on) : undefined,
  ]);
  // The ticket has the words of people who took part before.
  if (mayAddPeople && !addsWords && joined > 0) await refreshTicketSearch(tx, workspaceId, ticketId);
  takeStorage(tx, workspaceId, bytesOf(message) + sizeOfFiles(files) - (dropped?.sizeBytes ?? 0));
  return { messageId: whole.id, ticket: { ...ticket, ...waiting, ...counted }, reached, dropped, read: shown };
}

/**
 * Does the same for a received mail, but for the row of a ticket that it joins. The caller writes that row, and settles
 * each ticket once all its mails are written. Sends its statements before it awaits any.
 */
export async function writeMail(tx: Tx, by: Performer, on: OnOfMail, message: MailToWrite): Promise<void> {
  const { workspaceId } = by;
  const ticketId = 'madeWith' in on ? on.madeWith : 'opened' in on ? on.opened.id : on.before.id;
  const whole = { ...message, workspaceId, ticketId };
  await together([
    'opened' in on ? insertTicket(tx, { ...on.opened, workspaceId }) : undefined,
    writeRows(tx, by, whole),
    'madeWith' in on ? undefined : recordFacts(tx, by, on, whole),
  ]);
}

type Whole = MessageToWrite & Pick<NewMessage, 'workspaceId' | 'ticketId' | 'id' | 'createdAt'>;

async function openTicket(tx: Tx, { opened }: Opened, message: Whole): Promise<Ticket> {
  const { workspaceId, ticketId } = message;
  const isOfSample = opened.requester !== null && isSampleAddress(opened.requester.email);
  const [ticket] = await together([
    insertTicket(tx, { ...opened, workspaceId, firstMessage: newestOf(message) }),
    isOfSample ? markSample(tx, { workspaceId, ticketId }, null) : undefined,
  ]);
  return ticket;
}

function addToTicket(tx: Tx, { before, after }: Locked, message: Whole, isAnswer: boolean): Promise<Ticket> {
  const { workspaceId, createdAt } = message;
  const left = { ...after, messageCount: before.messageCount + 1, lastMessageAt: createdAt.toISOString() };
  return saveTicket(tx, workspaceId, left, isAutomaticReply(message) ? undefined : { ...newestOf(message), isAnswer });
}

/** Such a mail answers nobody, and is never the newest message that a list shows. */
function isAutomaticReply({ direction, automaticKind = null }: MessageToWrite): boolean {
  return direction === 'outbound' && automaticKind !== null;
}

function newestOf({ id, direction, author, replyText, body }: Whole): NewestMessage {
  return { id, direction, author, body: replyText ?? body };
}

/**
 * Writes the row of the message and the rows that refer to it.
 * @returns how many people take part in the ticket anew
 */
async function writeRows(tx: Tx, by: Performer, message: Whole): Promise<number> {
  const { workspaceId, ticketId, id: messageId, mailing, mail, news, bodyHtml = null, rfcMessageId = null } = message;
  const { files = [], attachmentIds = [], participantIds = [], knownIds = participantIds } = message;
  const { mentioned = [], answeredBy } = message;
  const named = { workspaceId, ticketId, messageId };
  const { userId } = by;
  const recipientIds = mailing?.contactIds ?? [];
  const [joined] = await together([
    addParticipants(tx, named, [...participantIds, ...recipientIds], [...knownIds, ...recipientIds]),
    insertMessage(tx, { ...plainMessage, ...message, ...(mailing && mailedFields(mailing)) }),
    attachFiles(tx, named, files),
    attachmentIds.length > 0 && userId !== null
      ? takeAttachments(tx, { workspaceId, userId }, named, { attachmentIds, bodyHtml })
      : undefined,
    mail &&
      nameMailIds(tx, named, {
        ids: mail.namedIds,
        own: rfcMessageId === null ? null : { id: rfcMessageId, messageId },
      }),
    followTicket(tx, named, answeredBy === undefined ? mentioned : [...mentioned, answeredBy]),
    news === undefined
      ? makeUnreadFor(tx, named, { userIds: mentioned, except: userId })
      : makeUnread(tx, named, news.knownBy),
    mailing && queueMailing(tx, mailing, named),
  ]);
  return joined;
}

/**
 * Records what happened. The rules of notifications read the rows, which are sent before. A mail that is no news
 * notifies nobody.
 * @returns the members who were notified of the message
 */
async function recordFacts(
  tx: Tx,
  by: Performer,
  on: Exclude<On | OnOfMail, { madeWith: TicketId }>,
  message: Whole,
): Promise<UserId[]> {
  const { workspaceId, ticketId, id: messageId, direction, mentioned = [], mail, news } = message;
  const about = {
    ...{ ticketId, mentioned: { messageId, userIds: mentioned } },
    // A member who mails as a customer, or forwards a customer's mail, knows what it says.
    knownBy: news?.knownBy ?? (mail === undefined ? null : by.userId),
    isQuiet: mail !== undefined && news === undefined,
    isPast: mail?.isPast === true,
  };
  if ('before' in on) {
    const cause = { kind: 'mail', id: messageId } as const;
    const newAssigneeId = newAssigneeOf(on.before, on.after);
    const [reached] = await together([
      record(tx, by, {
        ...{ ...about, newAssigneeId, isScheduled: message.mailing?.scheduled !== undefined },
        ...{ type: 'message.added', data: { messageId, direction } },
      }),
      // `recordChanges` tells the rest of an answer.
      ...(mail ? stateFacts(on.before, on.after, { cause }) : []).map((fact) =>
        record(tx, because(by, cause), { ...about, ...fact }),
      ),
    ]);
    return reached;
  }
  const { channel, spam, assigneeId = null, mailboxId = null } = on.opened;
  // The settings of a workspace place a mail, not its writer.
  const placedBy = (cause: Cause) => (mail === undefined ? by : automation(workspaceId, cause));
  const [reached] = await together([
    record(tx, by, { ...about, isNewTicket: news !== undefined, type: 'ticket.created', data: { channel } }),
    spam &&
      record(tx, placedBy({ kind: 'block_list', id: null }), {
        ...{ ...about, type: 'ticket.spam_changed' },
        data: { isSpam: true, reason: spam.reason },
      }),
    assigneeId === null
      ? undefined
      : record(tx, placedBy({ kind: 'mailbox', id: mailboxId }), {
          ...{ ...about, type: 'ticket.assigned' },
          data: { from: null, to: assigneeId },
        }),
  ]);
  return reached;
}

/** A mail assigns no ticket that it joins. */
type MaybeAssigned = TicketState & Partial<Pick<Ticket, 'assigneeId'>>;

function newAssigneeOf(before: MaybeAssigned, { assigneeId = null }: MaybeAssigned): UserId | null {
  return assigneeId === before.assigneeId ? null : assigneeId;
}

/** The change by the writer, and by the actions of a saved reply after it. */
async function recordChanges(tx: Tx, by: Performer, { before, after, reason, chosen }: Locked): Promise<void> {
  if (chosen === undefined) return recordChange(tx, by, { before, after, reason });
  await together([
    recordChange(tx, by, { before, after: chosen.ticket }),
    recordChange(tx, because(by, chosen.because), { before: chosen.ticket, after, reason }),
  ]);
}
