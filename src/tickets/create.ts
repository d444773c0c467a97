import { record } from '../activity/record.ts';
import type { Actor } from '../catalog/actor.ts';
import { type Contact, upsertContact } from '../contacts/upsert.ts';
import { type Tx, together } from '../database/db.ts';
import { attachFiles, type NewAttachment, sizeOfFiles } from '../files/attach.ts';
import { takeStorage } from '../files/storage-quota.ts';
import { foldTags } from '../lib/fold-tags.ts';
import type { SafeHtml } from '../lib/html/safe-html.ts';
import type { AttachmentId, MessageId, TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { chooseSender } from '../messages/choose-sender.ts';
import { bytesOf, insertMessage, type MessageAuthor, plainMessage, readAuthor } from '../messages/insert-message.ts';
import { type DroppedDraft, deleteDraft } from '../messages/keep-draft.ts';
import { readOwnAddress } from '../messages/own-address.ts';
import { recipientsOf, requireRecipients } from '../messages/recipients.ts';
import { requireMailbox } from '../messages/require-mailbox.ts';
import { takeAttachments } from '../messages/take-attachments.ts';
import { writtenText } from '../messages/written-text.ts';
import { isSampleAddress, markSample } from '../samples/marks.ts';
import type { RecipientLimits } from '../workspaces/limit-recipients.ts';
import { asAssigneeFault } from './change.ts';
import { followTicket } from './follow.ts';
import { type Mailing, mailedFields, notMailed, prepareMailing, queueMailing } from './mailing.ts';
import { defaultPriority, priorityKey } from './priority.ts';
import type { Summary } from './queries.ts';
import { addParticipants, freshTicket, insertTicket, refreshTicketSearch, takeTicketNumber } from './rows.ts';
import type { Ticket } from './schema.ts';
import { makeUnread, makeUnreadFor } from './unread.ts';

export type CreateTicket = {
  subject: string;
  body?: string;
  bodyHtml?: string | SafeHtml;
  requester?: { email: string; name?: string | null } | null;
  priority?: string;
  tags?: string[];
  assigneeId?: UserId | null;
  sendEmail?: boolean;
  toAddresses?: string[];
  ccAddresses?: string[];
  bccAddresses?: string[];
  sendAfterSeconds?: number;
  attachmentIds?: AttachmentId[];
  /** The actor's draft of this text. Creating the ticket deletes it. */
  draftId?: string;
  /** The mailbox through which the ticket's mail goes out. If missing, one that can send. Null asks for SMTP. */
  mailboxId?: string | null;
  /** Whether mail without a mailbox leaves. Otherwise it becomes a file. */
  hasSmtp: boolean;
  /** `MAIL_FROM`, which must never be a recipient (the mail would loop back). */
  mailFrom: string;
  newRecipientsPerDay: RecipientLimits;
  storageBytesMax: number;
  /** Makes the text of a saved reply, once the number of the ticket is known. */
  textFor?: (
    ticketNumber: number,
  ) => Promise<{ text: Pick<CreateTicket, 'body' | 'bodyHtml'>; files: NewAttachment[] }>;
  /** Changes the ticket in the same commit. */
  alsoRun?: (ticketId: TicketId) => Promise<Ticket>;
};

/**
 * Creates a ticket with its first message. The message is the requester's if the input names a requester, else the
 * caller's.
 * With `sendEmail` the message is always the caller's: a new mail to a customer.
 */
export async function createTicket(
  tx: Tx,
  actor: Actor,
  input: CreateTicket,
): Promise<{ ticket: Ticket; dropped: DroppedDraft | undefined }> {
  const { workspaceId } = actor;
  const tags = foldTags(input.tags ?? []);
  if (input.mailboxId) await requireMailbox(tx, workspaceId, input.mailboxId);
  const [{ requester, mailing }, writer, ticketNumber, mailboxId] = await together([
    findPeople(tx, workspaceId, input),
    readAuthor(tx, actor.userId),
    takeTicketNumber(tx, workspaceId),
    isMailed(input) ? chooseSender(tx, actor, input) : (input.mailboxId ?? null),
  ]);
  const ticket = { ...newTicket(tx, { ...input, mailboxId }, tags, requester), ticketNumber };
  const { text, files } = (await input.textFor?.(ticketNumber)) ?? { text: input, files: [] };
  const opening = openingOf(tx, writer, text, { requester, mailing });
  const written = await writeTicket(tx, actor, { ticket, requester, mailing, opening });
  const { messageId, body, bodyHtml } = opening;
  const dropped = input.draftId === undefined ? undefined : await deleteDraft(tx, actor, { draftId: input.draftId });
  const { attachmentIds = [] } = input;
  let counted: Pick<Ticket, 'attachmentCount'> | undefined;
  if (mailing.contactIds.length > 0 || attachmentIds.length > 0 || files.length > 0) {
    await attachFiles(tx, { workspaceId, ticketId: ticket.id, messageId }, files);
    if (attachmentIds.length > 0)
      await takeAttachments(tx, actor, { ticketId: ticket.id, messageId }, { attachmentIds, bodyHtml });
    counted = await refreshTicketSearch(tx, workspaceId, ticket.id);
  }
  const changed = await input.alsoRun?.(ticket.id);
  const quota = { workspaceId, bytesMax: input.storageBytesMax };
  await takeStorage(tx, quota, bytesOf({ body, bodyHtml }) + sizeOfFiles(files) - (dropped?.sizeBytes ?? 0));
  return { ticket: changed ?? { ...ticket, ...written, ...counted }, dropped };
}

/** Whether mail is to leave. No mail of a sample does. */
function isMailed({ sendEmail, requester, toAddresses: [firstTo] = [] }: CreateTicket): boolean {
  const person = requester?.email ?? firstTo;
  return sendEmail === true && person !== undefined && !isSampleAddress(person);
}

type People = { requester: Contact | null; mailing: Mailing };
type NewTicket = Omit<Ticket, keyof Summary>;

/** The first message of a ticket. */
type Opening = {
  messageId: MessageId;
  direction: 'inbound' | 'outbound';
  author: MessageAuthor;
  body: string;
  bodyHtml: string | null;
  mentioned: readonly UserId[];
};

function openingOf(
  tx: Tx,
  writer: MessageAuthor,
  text: Pick<CreateTicket, 'body' | 'bodyHtml'>,
  { requester, mailing }: People,
): Opening {
  const isAgents = requester === null || mailing.isMailed;
  const author: MessageAuthor = isAgents
    ? writer
    : { type: 'customer', contactId: requester.id, name: requester.name, email: requester.email };
  const { body, bodyHtml, mentions } = writtenText(text, { isMembers: isAgents });
  const direction = isAgents ? 'outbound' : 'inbound';
  return { messageId: tx.newId(), direction, author, body, bodyHtml, mentioned: mentions.mentioned };
}

/** Sends all statements at once, because none needs the answer of another. */
async function writeTicket(
  tx: Tx,
  actor: Actor,
  { ticket, requester, mailing, opening }: People & { ticket: NewTicket; opening: Opening },
) {
  const { workspaceId } = actor;
  const { id: ticketId, assigneeId } = ticket;
  const { messageId, direction, author, body, bodyHtml, mentioned } = opening;
  const agent = { type: 'agent', userId: actor.userId } as const;
  const about = { workspaceId, ticketId, actor: agent, mentioned: { messageId, userIds: mentioned } };
  const firstMessage = { id: messageId, direction, author, body };
  const at = { createdAt: tx.now, lastMessageAt: tx.now };
  const participants = new Set([...(requester === null ? [] : [requester.id]), ...mailing.contactIds]);
  const [inserted] = await together([
    // Reports the ticket's own error: the later statements fail only as its consequence.
    insertTicket(tx, { ...ticket, workspaceId, requester, ...at, firstMessage }).catch((error) =>
      Promise.reject(asAssigneeFault(error)),
    ),
    insertMessage(tx, {
      ...plainMessage,
      ...mailedFields(mailing),
      workspaceId,
      ticketId,
      ...firstMessage,
      bodyHtml,
      createdAt: tx.now,
    }),
    addParticipants(tx, { workspaceId, ticketId }, [...participants]),
    requester !== null && isSampleAddress(requester.email)
      ? markSample(tx, { workspaceId, ticketId }, null)
      : undefined,
    queueMailing(tx, mailing, { workspaceId, messageId }),
    record(tx, { ...about, type: 'ticket.created', data: { channel: 'api' } }),
    assigneeId === null
      ? undefined
      : record(tx, { ...about, type: 'ticket.assigned', data: { from: null, to: assigneeId } }),
    followTicket(tx, { workspaceId, ticketId }, mentioned),
    // An agent who enters a customer's words has read them. The owner of an API key has not.
    direction === 'inbound'
      ? makeUnread(tx, { workspaceId, ticketId, messageId }, actor.keyId === null ? actor.userId : null)
      : makeUnreadFor(tx, { workspaceId, ticketId, messageId }, { userIds: mentioned, except: actor.userId }),
  ]);
  return inserted;
}

/**
 * Finds the requester and the recipients of the first message: the named recipients, else the requester.
 * A mail without a requester makes its first recipient the requester.
 */
async function findPeople(
  tx: Tx,
  workspaceId: WorkspaceId,
  {
    requester,
    sendEmail,
    toAddresses = [],
    ccAddresses = [],
    bccAddresses = [],
    sendAfterSeconds,
    mailboxId,
    mailFrom,
    newRecipientsPerDay,
  }: CreateTicket,
): Promise<People> {
  const named = requester ? { email: requester.email, name: requester.name || null } : null;
  if (sendEmail !== true) {
    return { requester: named && (await upsertContact(tx, workspaceId, named)), mailing: notMailed };
  }
  const own = await readOwnAddress(tx, workspaceId, mailFrom);
  const to = toAddresses.length > 0 || named === null ? toAddresses : [named.email];
  const recipients = recipientsOf(own, { to, cc: ccAddresses, bcc: bccAddresses });
  requireRecipients(recipients);
  const first = named ?? { email: recipients.to[0] ?? '', name: null };
  const options = { mailboxId, sendAfterSeconds, newRecipientsPerDay };
  const mailing = await prepareMailing(tx, workspaceId, { ...recipients, ...options });
  return { requester: await upsertContact(tx, workspaceId, first), mailing };
}

function newTicket(
  tx: Tx,
  input: CreateTicket,
  tags: string[],
  requester: Contact | null,
): Omit<NewTicket, 'ticketNumber'> {
  const now = tx.now.toISOString();
  return {
    ...freshTicket,
    id: tx.newId(),
    subject: input.subject,
    status: 'open',
    priority: input.priority === undefined ? defaultPriority : priorityKey(input.priority),
    assigneeId: input.assigneeId ?? null,
    tags,
    requester: requester === null ? null : { contactId: requester.id, email: requester.email, name: requester.name },
    channel: 'api',
    mailboxId: input.mailboxId ?? null,
    messageCount: 1,
    lastMessageAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
