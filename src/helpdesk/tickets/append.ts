import type { Mentions } from '../../events/notifications/mentions.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Cause } from '../../ground/catalog/cause.ts';
import { machineScope, type Scope } from '../../ground/catalog/scope.ts';
import type { Status } from '../../ground/catalog/ticket-status.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { SafeHtml } from '../../ground/lib/html/safe-html.ts';
import type { AttachmentId, MessageId, TicketId, UserId } from '../../ground/lib/ids.ts';
import type { NewAttachment } from '../files/attach.ts';
import { chooseAnswerSender, chooseFrom } from '../messages/choose-sender.ts';
import { readAuthor } from '../messages/insert-message.ts';
import type { DroppedDraft } from '../messages/keep-draft.ts';
import type { QuoteKind } from '../messages/new-message-schema.ts';
import { messageIsOfPerson } from '../messages/of-person.ts';
import { readOwnAddress } from '../messages/own-address.ts';
import { getMessage } from '../messages/queries.ts';
import { findForward, findQuote, type QuoteWithFiles } from '../messages/quote.ts';
import { recipientsOf, requireRecipients } from '../messages/recipients.ts';
import type { StoredMessage } from '../messages/schema.ts';
import { withQuote, writtenText } from '../messages/written-text.ts';
import { lockTicket } from './change.ts';
import { changedBy, readBeforeAnswer, ruleOf, takenBy } from './change-by-answer.ts';
import { answers, type Mailing, prepareMailing, type SendTime, unmailed } from './mailing.ts';
import { findReplyRecipients } from './reply-defaults.ts';
import type { Ticket } from './schema.ts';
import { mentionable, refuseOutside, withTeamOfMailbox } from './teams/team-of-ticket.ts';
import { applied, type ChangeWithContact } from './ticket-change.ts';
import { writeMessage } from './write-message.ts';

export type AppendMessage = SendTime & {
  ticketId: TicketId;
  body?: string;
  bodyHtml?: string | SafeHtml;
  /** Quotes mails that the recipients know; default: none. */
  quote?: QuoteKind;
  /** A message of the ticket to forward with its files. */
  forwardOf?: MessageId;
  isInternal?: boolean;
  sendEmail?: boolean;
  toAddresses?: string[];
  ccAddresses?: string[];
  bccAddresses?: string[];
  /** The address of the mailbox from which the mail is to leave. */
  fromAddress?: string;
  attachmentIds?: AttachmentId[];
  /** The newest message that the author has seen. */
  lastSeenMessageId?: MessageId;
  thenStatus?: Status;
  /** The actor's draft of this text. Appending deletes it. */
  draftId?: string;
  /** The version of the draft that the actor has seen. */
  draftVersion?: number;
  thenArchive?: boolean;
  /** One of many answers at once, by which nobody takes or follows a ticket. */
  isOfMany?: boolean;
  /** Finishes the message, as a saved reply does. Runs once the ticket takes it, so that its faults come second. */
  finish?: (settle: SettleMailbox) => Promise<FinishedMessage>;
};

/** Adds to a change the mailbox of the ticket after it, which sends the message, and the team that follows from it. */
type SettleMailbox = (change: ChangeWithContact) => Promise<ChangeWithContact & Pick<Ticket, 'mailboxId'>>;

export type FinishedMessage = {
  text: Pick<AppendMessage, 'body' | 'bodyHtml'>;
  /** Files that need no upload. */
  files: readonly NewAttachment[];
  /** Changes the ticket beyond what the author wants. Cancelling the answer does not take that back. */
  change: ChangeWithContact & Pick<Ticket, 'mailboxId'>;
  /** What led to that change, apart from a mailbox that was only chosen to send. */
  cause?: Cause;
  isMailboxWanted?: boolean;
};

/**
 * Adds an agent's answer or note, and leaves the ticket in the status that its author wants.
 * Queues a mailed answer here, so that the message, its facts and its job are one commit.
 */
export async function appendMessage(
  tx: Tx,
  actor: Actor,
  input: AppendMessage,
): Promise<{ message: StoredMessage; ticket: Ticket; ignoredMentions: UserId[]; dropped: DroppedDraft | undefined }> {
  const { ticketId, isInternal = false } = input;
  const isMailed = input.sendEmail === true && !isInternal;
  // Writes contacts before locking the ticket, as the ingest does. The same lock order avoids deadlocks.
  const mailing = isMailed ? await addressAnswer(tx, actor, input) : unmailed(input);
  const [before, author, standing, newerId] = await together([
    lockTicket(tx, actor, { ticketId, ifMatch: undefined }),
    readAuthor(tx, actor.userId),
    isInternal ? null : readBeforeAnswer(tx, actor, ticketId),
    findNewerThanSeen(tx, actor, input),
  ]);
  if (isMailed && newerId !== null) throw new AppError('ticket.newer_message', { messageId: newerId });
  const quote = await findBelow(tx, before, { actor, mailing, input });
  const settle: SettleMailbox = async (wanted) => {
    const { mailboxId = before.mailboxId, ...change } = await withTeamOfMailbox(tx, actor.workspaceId, before, wanted);
    const sender = isMailed ? await chooseAnswerSender(tx, actor, { ticketId, mailboxId }) : mailboxId;
    return { ...change, mailboxId: sender };
  };
  // What refuses the ticket comes first, then the saved reply, then the message.
  const finished = (await input.finish?.(settle)) ?? { text: input, files: [], change: await settle({}) };
  const { text, files, change, cause, isMailboxWanted = true } = finished;
  const fromAddress = await chooseFrom(tx, actor.workspaceId, { ...input, ...change, isMailed });
  if (isMailed) requireRecipients(mailing);
  const { mentions, ...own } = writtenText(text, { mayBeEmpty: input.forwardOf !== undefined });
  const { thenStatus: status, thenArchive: archive } = input;
  const answer = standing !== null && answers(mailing, before.requester) ? standing : null;
  const rule = answer && (await ruleOf(tx, actor, answer, change));
  // Work of programs and answers to many tickets are nobody's own.
  const isPersons = answer !== null && actor.keyId === null && input.isOfMany !== true;
  const then = {
    ...takenBy(before, rule, { userId: isPersons ? actor.userId : null, chosen: change }),
    ...(status !== undefined && { status }),
    ...(archive === true && { archive }),
  };
  const left = applied(before, then, tx.now);
  const after = applied(left, change, tx.now);
  await refuseOutside(tx, actor.workspaceId, { before, after });
  const { ticket, reached, dropped, ...written } = await writeMessage(
    tx,
    actor,
    {
      ...{ before, after, reason: change.reason },
      ...(cause !== undefined && {
        chosen: { ticket: isMailboxWanted ? left : { ...left, mailboxId: after.mailboxId }, because: cause },
      }),
    },
    {
      direction: isInternal ? 'internal' : 'outbound',
      author,
      ...(quote === undefined ? own : withQuote(own, quote)),
      ...{ forwardOfId: input.forwardOf ?? null, fromAddress, mailing },
      changedTicket:
        isMailed && standing !== null
          ? changedBy(standing, { before, after: left, isNewFollower: isPersons && !standing.isFollowing })
          : null,
      answeredBy: isPersons ? actor.userId : undefined,
      mentioned: await mentionable(tx, actor.workspaceId, after, mentions.mentioned),
      files: [...(quote?.files ?? []), ...files],
      attachmentIds: input.attachmentIds ?? [],
      draft: { owner: actor, draftId: input.draftId, version: input.draftVersion },
    },
    // The answer may move the ticket out of the actor's sight.
    (messageId) => getMessage(tx, machineScope(actor.workspaceId), messageId),
  );
  return { message: written.read, ticket, dropped, ignoredMentions: ignoredOf(mentions, [...reached, actor.userId]) };
}

/** Mentions that reach nobody, of which the author must know: of non-members, or only inside a quote or code. */
function ignoredOf({ mentioned, passedOver }: Mentions, reached: readonly UserId[]): UserId[] {
  return [...mentioned, ...passedOver].filter((userId) => !reached.includes(userId));
}

/** Builds the quoted or forwarded text below the answer. Throws 400 unless the message is mailed. */
async function findBelow(
  tx: Tx,
  ticket: Ticket,
  { actor, mailing, input }: { actor: Actor; mailing: Mailing; input: AppendMessage },
): Promise<QuoteWithFiles | undefined> {
  const { quote: kind = 'none', forwardOf } = input;
  if (kind === 'none' && forwardOf === undefined) return undefined;
  const path = forwardOf === undefined ? 'body.quote' : 'body.forwardOf';
  if (!mailing.isMailed) throw invalidRequest({ path, key: 'not_mailed' });
  const quoted = { scope: actor, ticket, ownEmail: tx.settings.mailFrom.email };
  if (forwardOf !== undefined) return findForward(tx, quoted, forwardOf);
  if (kind === 'none') return undefined;
  const quote = await findQuote(tx, quoted, { kind, recipients: [...mailing.to, ...mailing.cc] });
  // A scheduled text may return as a draft, without what was found.
  if (mailing.scheduled && quote !== undefined) mailing.scheduled.quote = kind;
  return quote;
}

/**
 * The recipients that the request names, else those of a reply to all. A forward goes only to named recipients.
 */
async function addressAnswer(tx: Tx, scope: Scope, input: AppendMessage): Promise<Mailing> {
  const { ticketId, toAddresses = [], ccAddresses = [], bccAddresses = [], forwardOf } = input;
  const { workspaceId } = scope;
  const own = await readOwnAddress(tx, workspaceId);
  const isAddressed = toAddresses.length > 0 || forwardOf !== undefined;
  const defaults = isAddressed ? undefined : (await findReplyRecipients(tx, scope, { ticketId, own })).replyDefaults;
  const cc = ccAddresses.length > 0 ? ccAddresses : (defaults?.cc ?? []);
  const recipients = recipientsOf(own, { to: defaults?.to ?? toAddresses, cc, bcc: bccAddresses });
  return prepareMailing(tx, workspaceId, { ...input, ...recipients });
}

/**
 * Finds the newest message of a customer, or mailed by a colleague, that arrived after the last message that the caller
 * saw. Null without a newer message.
 * Compares arrival, because the mail's own time may be long past. A message without an arrival counts as older.
 */
async function findNewerThanSeen(
  tx: Tx,
  actor: Actor,
  { ticketId, lastSeenMessageId }: Pick<AppendMessage, 'ticketId' | 'lastSeenMessageId'>,
): Promise<MessageId | null> {
  if (lastSeenMessageId === undefined) return null;
  const { workspaceId, userId } = actor;
  const seen = await tx.maybe<{ newerId: MessageId | null }>(sql`
    select (
        select m.id
        from messages m
        where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId}
          and (
            (m.direction = 'inbound' and m.author_type = 'customer' and ${messageIsOfPerson})
            or (m.direction = 'outbound' and m.delivery_status <> 'cancelled' and m.automatic_kind is null
              and m.author_user_id is distinct from ${userId}::uuid)
          )
          and m.arrived_at > coalesce(s.arrived_at, '-infinity')
        order by m.arrived_at desc
        limit 1
      ) as "newerId"
    from messages s
    where s.workspace_id = ${workspaceId} and s.id = ${lastSeenMessageId}
      and ${ofVisible(actor, 's.ticket_id')}`);
  if (seen === undefined) {
    throw invalidRequest({ path: 'body.lastSeenMessageId', key: 'not_a_message' });
  }
  return seen.newerId;
}
