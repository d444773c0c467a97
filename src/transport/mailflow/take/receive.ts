import { normaliseSubject, noSubject } from '@kontor/mail/threading.ts';
import { record } from '../../../events/activity/record.ts';
import { automation, because, type Performer } from '../../../ground/catalog/doer.ts';
import type { SpamReason } from '../../../ground/catalog/spam.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { joinSql, sql } from '../../../ground/database/sql.ts';
import type { ContactId, MessageId, TeamId, TicketId, UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { NewAttachment } from '../../../helpdesk/files/attach.ts';
import type { NewMessage } from '../../../helpdesk/messages/insert-message.ts';
import { nameMailIds } from '../../../helpdesk/messages/mail-ids.ts';
import { awake } from '../../../helpdesk/tickets/ticket-change.ts';
import { writeMail } from '../../../helpdesk/tickets/write-message.ts';
import type { SendingMember } from '../understand.ts';
import type { MailTicket, TrashedTicket } from './mail-tickets.ts';

/** An inbound mail, parsed and ready to store: the fields of its message, and what becomes of its ticket. */
export type ReceivedMail = Omit<NewMessage, FieldOfTicket | FieldOfAnswer | 'subject' | 'direction' | 'threading'> & {
  /** `import` notifies nobody and changes no ticket's state; `live` does. */
  origin: 'import' | 'live';
  mailboxId: string | null;
  subject: string;
  /** `outbound` is mail that our people sent by hand from a mailbox. It reopens no ticket and notifies nobody. */
  direction: 'inbound' | 'outbound';
  /** The requester of a new ticket: the author, or the recipient of outbound mail. */
  requester: { id: ContactId; email: string; name: string | null } | null;
  /** Initial values of a new ticket. */
  defaults: TicketDefaults;
  /** Everyone whom the mail names, including its author. */
  participantIds: readonly ContactId[];
  /** The participants whom this mail makes known to the ticket. */
  knownIds: readonly ContactId[];
  /** Every Message-ID that the mail names. */
  namedIds: readonly string[];
  /** A person's mail reopens a closed ticket and notifies its assignee. A machine's mail does neither. */
  isFromPerson: boolean;
  /** How the mail found its ticket. `fingerprint` identifies the mail and orders mails of one instant. */
  threading: { fingerprint: string; [key: string]: unknown };
  /** What the member who forwarded the mail added. It becomes an internal note of the new ticket. */
  note?: { by: SendingMember; text: string } | null;
  attachments: readonly NewAttachment[];
};
type FieldOfTicket = 'id' | 'ticketId';
type FieldOfAnswer =
  | 'bccAddresses'
  | 'forwardOfId'
  | 'deliveryStatus'
  | 'deliveryNextAttemptAt'
  | 'scheduled'
  | 'changedTicket';

export type TicketDefaults = {
  assigneeId: UserId | null;
  teamId: TeamId | null;
  tags: readonly string[];
  /** Without a status the ticket is open, or closed if nobody waits for an answer. */
  status?: 'open' | 'closed';
  isArchived?: boolean;
};

export type NewMailTicket = {
  newTicketNumber: number;
  /** The ticket in the trash that the mail answers. Later mail to it goes to the new ticket. */
  continues: TrashedTicket | undefined;
  /** Why the new ticket is spam, if it is. */
  spamReason: SpamReason | null;
};

export type Received = {
  ticketId: TicketId;
  messageId: MessageId;
  isNewTicket: boolean;
  /** Whether a customer has written into a ticket that was there. */
  isCustomersReply: boolean;
  /** Resolves once every row is written. The statements are already sent, so other statements may follow at once. */
  written: Promise<unknown>;
};

/** The subject that only this mail of its ticket has. */
function ownSubject(mail: ReceivedMail, ticket: MailTicket): string | null {
  const own = normaliseSubject(mail.subject);
  return own === '' || own === noSubject || own === normaliseSubject(ticket.subject) ? null : mail.subject;
}

/**
 * Stores a mail as a message of the given ticket, or of a new one with the given number (`takeTicketNumber`).
 * A new ticket is open, or closed if nobody waits for an answer.
 * The caller updates the ticket's count, times and search vector (`settleTicket`), once a transaction.
 */
export function receiveMail(tx: Tx, mail: ReceivedMail, to: MailTicket | NewMailTicket): Received {
  const ticket = 'id' in to ? to : null;
  const messageId = tx.newId<MessageId>();
  const ticketId = ticket?.id ?? tx.newId<TicketId>();
  const { workspaceId, direction, namedIds, attachments } = mail;
  const isNews = 'id' in to ? bringsNews(mail, to) : to.spamReason === null && isNewsOf(mail, null);
  const written = together([
    ticket === null ? undefined : addToTicket(tx, mail, { ticket, messageId }),
    writeMail(
      tx,
      writerOf(mail),
      'id' in to
        ? { before: to, after: doesWake(mail, to) ? awake : to }
        : { opened: newTicketOf(mail, { ...to, ticketId, messageId }) },
      {
        ...mail,
        id: messageId,
        subject: ticket === null ? null : ownSubject(mail, ticket),
        deliveryStatus: direction === 'outbound' ? 'sent' : null,
        files: attachments,
        mail: { namedIds, isPast: isFromFile(mail) },
        ...(isNews && { news: { knownBy: mail.forwardedById ?? null } }),
      },
    ),
    mail.note && writeNote(tx, mail, { ticketId, ...mail.note }),
    'continues' in to && to.continues !== undefined
      ? continueIn(tx, { workspaceId, ticketId, messageId }, to.continues.id)
      : undefined,
  ]);
  const isCustomersReply = ticket !== null && doesWake(mail, ticket);
  return { ticketId, messageId, isNewTicket: ticket === null, isCustomersReply, written };
}

/** The fact of the new ticket tells of its note too. */
function writeNote(
  tx: Tx,
  { workspaceId, createdAt }: ReceivedMail,
  { ticketId, by: { userId, name, email }, text }: { ticketId: TicketId; by: SendingMember; text: string },
): Promise<void> {
  return writeMail(
    tx,
    { workspaceId, userId, isCustomer: false },
    { madeWith: ticketId },
    {
      id: tx.newId<MessageId>(),
      direction: 'internal',
      author: { type: 'agent', userId, name, email },
      body: text,
      createdAt,
    },
  );
}

/**
 * Stores what another copy adds to a mail that is already here.
 * The copy may name ids that a relay cut from the first.
 * If the mail began an imported ticket, the lesser of the two subjects wins, whichever copy came first.
 */
export async function receiveCopy(
  tx: Tx,
  copy: Pick<ReceivedMail, 'workspaceId' | 'origin' | 'subject' | 'createdAt' | 'threading' | 'namedIds'>,
  ticket: MailTicket,
): Promise<void> {
  const { workspaceId, threading } = copy;
  await nameMailIds(tx, { workspaceId, ticketId: ticket.id }, { ids: copy.namedIds, own: null });
  const isBeginning = ticket.isImportOnly && ticket.oldest?.fingerprint === threading.fingerprint;
  if (copy.origin !== 'import' || !isBeginning) return;
  await tx.run(sql`
    update tickets set subject = ${copy.subject}
    where workspace_id = ${workspaceId} and id = ${ticket.id} and ${copy.subject} < subject collate "C"`);
}

/** Whether an imported mail precedes the ticket's oldest message. The beginning of a live ticket never changes. */
function isOldest(mail: Pick<ReceivedMail, 'createdAt' | 'threading'>, ticket: MailTicket): boolean {
  if (!ticket.isImportOnly || ticket.oldest === null) return false;
  const at = mail.createdAt.getTime() - Date.parse(ticket.oldest.at);
  return at < 0 || (at === 0 && mail.threading.fingerprint < ticket.oldest.fingerprint);
}

/** Links a new ticket with the ticket in the trash for which it stands in. */
async function continueIn(
  tx: Tx,
  { workspaceId, ticketId, messageId }: { workspaceId: WorkspaceId; ticketId: TicketId; messageId: MessageId },
  trashedId: TicketId,
): Promise<void> {
  await together([
    tx.run(sql`
      update tickets set continued_in_id = ${ticketId}
      where workspace_id = ${workspaceId} and id = ${trashedId} and trashed_at is not null`),
    record(tx, automation(workspaceId, { kind: 'mail', id: messageId }), {
      ticketId,
      type: 'ticket.continued_from',
      data: { fromTicketId: trashedId },
    }),
  ]);
}

function newTicketOf(
  mail: ReceivedMail,
  { ticketId, messageId, newTicketNumber, spamReason }: NewMailTicket & { ticketId: TicketId; messageId: MessageId },
) {
  const { defaults, subject, requester, mailboxId, createdAt } = mail;
  return {
    ...{ subject, requester, mailboxId, createdAt },
    id: ticketId,
    ticketNumber: newTicketNumber,
    status: defaults.status ?? (mail.direction === 'outbound' ? ('closed' as const) : ('open' as const)),
    isArchived: defaults.isArchived ?? false,
    assigneeId: defaults.assigneeId,
    teamId: defaults.teamId,
    tags: defaults.tags,
    channel: 'email' as const,
    isImportOnly: mail.origin === 'import',
    attachmentNames: mail.attachments.map(({ fileName }) => fileName),
    ...(spamReason !== null && {
      spam: { reason: spamReason, missedMessageId: isNewsOf(mail, null) ? messageId : null },
    }),
  };
}

/** Whether an import read the mail from a file. Such mail may be years old, and no program outside hears of it. */
function isFromFile({ origin, mailboxId }: ReceivedMail): boolean {
  return origin === 'import' && mailboxId === null;
}

/** A member writes mail that was sent by hand, if the mail shows which member. */
function writerOf({ workspaceId, author, origin }: ReceivedMail): Performer {
  const isCustomer = author.type === 'customer';
  const writer = { workspaceId, userId: author.type === 'agent' ? author.userId : null, isCustomer };
  return origin === 'import' ? because(writer, { kind: 'import', id: null }) : writer;
}

/**
 * A person's live mail reopens the ticket, unarchives it and ends its snooze. A machine's mail and imports do not. Spam
 * stays spam, and remembers the mail that told nobody.
 * Any live mail also ends the right of an import to join the ticket to another.
 */
async function addToTicket(
  tx: Tx,
  mail: ReceivedMail,
  { ticket, messageId }: { ticket: MailTicket; messageId: MessageId },
): Promise<void> {
  const { workspaceId } = mail;
  const wakes =
    doesWake(mail, ticket) && (ticket.status !== 'open' || ticket.archivedAt !== null || ticket.snoozedUntil !== null);
  const changes = [
    ...(wakes ? [sql`status = 'open', archived_at = null, snoozed_until = null`] : []),
    ...(ticket.spamAt !== null && isNewsOf(mail, ticket) ? [sql`missed_message_id = ${messageId}`] : []),
    ...(ticket.isImportOnly && mail.origin === 'live' ? [sql`is_import_only = false`] : []),
    ...(mail.origin === 'import' && isOldest(mail, ticket)
      ? [
          sql`subject = ${mail.subject}, created_at = ${mail.createdAt},
            requester_id = ${mail.requester?.id ?? null}`,
        ]
      : []),
  ];
  if (changes.length === 0) return;
  await tx.run(sql`
    update tickets set ${joinSql(changes, ', ')} where workspace_id = ${workspaceId} and id = ${ticket.id}`);
}

function doesWake(mail: ReceivedMail, { spamAt }: MailTicket): boolean {
  return spamAt === null && mail.origin === 'live' && mail.author.type === 'customer' && mail.isFromPerson;
}

/** Mail of a spam ticket notifies nobody, and makes no ticket unread. */
function bringsNews(mail: ReceivedMail, ticket: MailTicket): boolean {
  return ticket.spamAt === null && isNewsOf(mail, ticket);
}

/** Whether a mail would be news if its ticket were no spam. A machine's mail is news only if it opens the ticket. */
function isNewsOf(mail: ReceivedMail, ticket: MailTicket | null): boolean {
  return mail.origin === 'live' && mail.direction === 'inbound' && (ticket === null || mail.isFromPerson);
}
