import { isSampleAddress } from '../../events/samples/marks.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import type { SafeHtml } from '../../ground/lib/html/safe-html.ts';
import type { AttachmentId, TeamId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { findTeamOfMailbox, requireConnected } from '../../mail/mailboxes/queries.ts';
import { type Person, upsertContact } from '../contacts/upsert.ts';
import { chooseFrom, chooseSender } from '../messages/choose-sender.ts';
import { readAuthor } from '../messages/insert-message.ts';
import { readOwnAddress } from '../messages/own-address.ts';
import { recipientsOf, requireRecipients } from '../messages/recipients.ts';
import { writtenText } from '../messages/written-text.ts';
import type { FinishedMessage } from './append.ts';
import { asAssigneeFault } from './change.ts';
import { type Mailing, prepareMailing, type SendTime, unmailed } from './mailing.ts';
import { defaultPriority, priorityKey } from './priority.ts';
import { takeTicketNumber } from './rows.ts';
import { isTeamShown, mentionable, refuseOutside } from './teams/team-of-ticket.ts';
import { type Written, writeMessage } from './write-message.ts';

export type CreateTicket = SendTime & {
  subject: string;
  body?: string;
  bodyHtml?: string | SafeHtml;
  requester?: { email: string; name?: string | null } | null;
  priority?: string;
  tags?: string[];
  assigneeId?: UserId | null;
  /** The ticket's team. If missing, that of its mailbox. */
  teamId?: TeamId | null;
  sendEmail?: boolean;
  toAddresses?: string[];
  ccAddresses?: string[];
  bccAddresses?: string[];
  /** The address of the mailbox from which the mail is to leave. */
  fromAddress?: string;
  attachmentIds?: AttachmentId[];
  /** The actor's draft of this text. Creating the ticket deletes it. */
  draftId?: string;
  /** The version of the draft that the actor has seen. */
  draftVersion?: number;
  /** The mailbox through which the ticket's mail goes out. If missing, one that can send. Null asks for SMTP. */
  mailboxId?: string | null;
  /** Finishes the message, as a saved reply does. Runs once nothing else refuses the ticket. */
  finish?: (opening: Opening) => Promise<FinishedTicket>;
};

type Opening = {
  takeNumber: () => Promise<number>;
  /** The mailbox of the ticket, which sends its message. */
  mailboxId: string | null;
  /** The one that would be its mailbox if the caller had chosen this one. */
  mailboxFor: (chosen: CreateTicket['mailboxId']) => Promise<string | null>;
};

/** The ticket's number and mailbox, which the text may name, and the message. */
type FinishedTicket = { ticketNumber: number; mailboxId: string | null } & Pick<FinishedMessage, 'text' | 'files'>;

/**
 * Creates a ticket with its first message. The message is the requester's if the input names a requester, else the
 * caller's.
 * With `sendEmail` the message is always the caller's: a new mail to a customer.
 */
export async function createTicket(tx: Tx, actor: Actor, input: CreateTicket): Promise<Written> {
  const { workspaceId } = actor;
  const { finish } = input;
  const tags = foldTags(input.tags ?? []);
  const named = input.mailboxId ? await requireConnected(tx, workspaceId, input.mailboxId) : undefined;
  // The message is the requester's, unless it is mailed or there is none.
  const isMembers = input.sendEmail === true || !input.requester;
  const written = finish === undefined ? writtenText(input, { isMembers }) : undefined;
  const mailboxFor: Opening['mailboxFor'] = async (chosen) =>
    isMailed(input) ? chooseSender(tx, actor, chosen) : (chosen ?? null);
  const [{ person, mailing }, mailboxId] = await together([
    addressTicket(tx, workspaceId, input),
    mailboxFor(input.mailboxId),
  ]);
  // No refusal gives a number back, so this comes after all that costs no round trip more.
  const takeNumber = () => takeTicketNumber(tx, workspaceId);
  const [requester, writer, finished] = await together([
    person && upsertContact(tx, workspaceId, person),
    readAuthor(tx, actor.userId),
    finish?.({ takeNumber, mailboxId, mailboxFor }) ??
      takeNumber().then((ticketNumber) => ({ ticketNumber, mailboxId, text: input, files: [] })),
  ]);
  const { body, bodyHtml, mentions } = written ?? writtenText(finished.text, { isMembers });
  const isTheirs = requester !== null && !isMembers;
  const placed = {
    ...{ id: tx.newId<TicketId>(), assigneeId: input.assigneeId ?? null },
    teamId: await teamFor(tx, workspaceId, { ...input, chosen: finished.mailboxId, named }),
  };
  await refuseOutside(tx, workspaceId, { before: { teamId: null, assigneeId: null }, after: placed });
  const isMakers = actor.keyId === null;
  // Makers who do not see the team follow the ticket, so that it does not vanish from them.
  const follows = mailing.isMailed || (isMakers && !(await isTeamShown(tx, actor, placed.teamId)));
  const fromAddress = await chooseFrom(tx, workspaceId, { ...input, ...finished, ...mailing });
  return writeMessage(
    tx,
    actor,
    {
      opened: {
        ...placed,
        ticketNumber: finished.ticketNumber,
        subject: input.subject,
        priority: input.priority === undefined ? defaultPriority : priorityKey(input.priority),
        tags,
        requester,
        channel: 'api',
        mailboxId: finished.mailboxId,
      },
    },
    {
      direction: isTheirs ? 'inbound' : 'outbound',
      author: isTheirs
        ? { type: 'customer', contactId: requester.id, name: requester.name, email: requester.email }
        : writer,
      ...{ body, bodyHtml, mailing, fromAddress },
      files: finished.files,
      participantIds: requester === null ? [] : [requester.id],
      mentioned: await mentionable(tx, workspaceId, placed, mentions.mentioned),
      answeredBy: follows && isMakers ? actor.userId : undefined,
      // An agent who enters a customer's words has read them. The owner of an API key has not.
      ...(isTheirs && { news: { knownBy: actor.keyId === null ? actor.userId : null } }),
      attachmentIds: input.attachmentIds ?? [],
      draft: { owner: actor, draftId: input.draftId, version: input.draftVersion },
    },
  ).catch((error) => Promise.reject(asAssigneeFault(error)));
}

type Choice = Pick<CreateTicket, 'teamId' | 'mailboxId'> & {
  /** The ticket's mailbox. */
  chosen: string | null;
  /** What is known of `mailboxId`. */
  named: { teamId: TeamId | null } | undefined;
};

/** The team of a new ticket: the named one, else that of its mailbox. */
async function teamFor(
  tx: Tx,
  workspaceId: WorkspaceId,
  { teamId, mailboxId, chosen, named }: Choice,
): Promise<TeamId | null> {
  if (teamId !== undefined) return teamId;
  if (chosen === null) return null;
  return chosen === mailboxId && named !== undefined ? named.teamId : findTeamOfMailbox(tx, workspaceId, chosen);
}

/** Whether mail is to leave. No mail of a sample does. */
function isMailed({ sendEmail, requester, toAddresses: [firstTo] = [] }: CreateTicket): boolean {
  const person = requester?.email ?? firstTo;
  return sendEmail === true && person !== undefined && !isSampleAddress(person);
}

/**
 * Names the requester, and prepares the mailing of the first message: to the named recipients, else the requester.
 * A mail without a requester makes its first recipient the requester.
 */
async function addressTicket(
  tx: Tx,
  workspaceId: WorkspaceId,
  input: CreateTicket,
): Promise<{ person: Person | null; mailing: Mailing }> {
  const { requester, sendEmail, toAddresses = [], ccAddresses = [], bccAddresses = [] } = input;
  const named = requester ? { email: requester.email, name: requester.name || null } : null;
  if (sendEmail !== true) return { person: named, mailing: unmailed(input) };
  const own = await readOwnAddress(tx, workspaceId);
  const to = toAddresses.length > 0 || named === null ? toAddresses : [named.email];
  const recipients = recipientsOf(own, { to, cc: ccAddresses, bcc: bccAddresses });
  requireRecipients(recipients);
  const mailing = await prepareMailing(tx, workspaceId, { ...input, ...recipients });
  return { person: named ?? { email: recipients.to[0] ?? '', name: null }, mailing };
}
