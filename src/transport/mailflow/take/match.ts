import { isProven } from '@kontor/mail/mail-authentication.ts';
import { isGenericSubject, namedIds, normaliseSubject, threadIds } from '@kontor/mail/threading.ts';
import type { MatchedBy } from '../../../ground/catalog/matched-by.ts';
import type { Tx } from '../../../ground/database/db.ts';
import type { ContactId, MessageId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { findSentMessage, isMailIdTaken } from '../../../helpdesk/messages/mail-ids.ts';
import { isOfPerson } from '../../../helpdesk/messages/of-person.ts';
import { traitsOf } from '../../../mail/providers/registry.ts';
import { answeredByToken, type OwnAddresses } from '../own-addresses.ts';
import { isRootId } from '../sending/compose-answer.ts';
import type { UnderstoodMail } from '../understand.ts';
import { findNamedByDesk } from './former-desk.ts';
import { joinImported } from './join-imported.ts';
import {
  findRecentTicketsOf,
  findTicketsOfMailIds,
  findTrashed,
  lockMailTicket,
  lockTicketOfMessage,
  type MailTicket,
  type TrashedTicket,
} from './mail-tickets.ts';
import { findNamed, type NamedTicket, ofTeam, reportedIds } from './named-ticket.ts';
import { threadKey } from './provider-threads.ts';
import { isSentByHand } from './sent-mail.ts';

/** A mail's ticket, and how it was found; stored with the message. */
export type Match = {
  ticket: MailTicket | null;
  /** For a new ticket, the ticket in the trash that the mail answers. */
  continues?: TrashedTicket | undefined;
  /** For a new ticket, a ticket of a team that the mail names, and may quote, but may neither join nor continue. */
  named?: NamedTicket | undefined;
  /** The message of ours that the mail answers or reports on, when certain. */
  answeredId: MessageId | undefined;
  threading: {
    matchedBy: MatchedBy | null;
    matchedId: string | null;
    /** Whether the writer took part in the conversation before; null for a new ticket. */
    isSenderKnown: boolean | null;
    fingerprint: string;
    /** How many other tickets of this import the mail joined into its ticket. */
    joinedTickets?: number;
    /** Another mail here has the same Message-ID and different content. */
    hasIdOfAnother?: true;
  };
};

const subjectDaysMax = 7;
const dayMs = 86_400_000;

/** The data for matching a mail, besides the mail's own fields. */
export type MatchParts = {
  workspaceId: WorkspaceId;
  /** The writer's contact; null for an unknown writer. */
  senderId: ContactId | null;
  own: OwnAddresses;
  /** By `threadKey`, the newest message in each of the providers' threads. */
  threads: ReadonlyMap<string, MessageId>;
  /** Whether the writer is blocked. Such a mail joins only spam, unless it reports on a mail of ours. */
  isBlocked: boolean;
};

/**
 * Finds a mail's ticket: first by the message of ours that it certainly answers, then by its ids. For a forged mail
 * only the token counts.
 */
export async function matchMail(tx: Tx, parts: MatchParts, mail: UnderstoodMail): Promise<Match> {
  const match = await matchShown(tx, parts, mail);
  const { workspaceId, senderId, own, isBlocked } = parts;
  if (match.ticket !== null || mail.raw.origin === 'import') return match;
  const answeredId = answeredByToken(mail, own) ?? null;
  // Such mail must not take over a conversation, but it may quote one.
  if (isForged(mail) || isBlocked) {
    const named = await findNamed(tx, workspaceId, mail, { senderId, answeredId });
    return { ...match, named: named ?? match.named };
  }
  const ids = threadIds(mail.parsed);
  if (ids.length === 0 && answeredId === null) return match;
  return { ...match, continues: await findTrashed(tx, workspaceId, { ids, answeredId }) };
}

/** Finds the ticket unless it is in the trash. */
async function matchShown(tx: Tx, parts: MatchParts, mail: UnderstoodMail): Promise<Match> {
  const { workspaceId, senderId, own } = parts;
  const matchFurther = () => (isForged(mail) ? matchNothing(mail) : matchIds(tx, parts, mail));
  const answered = await findAnswered(tx, workspaceId, mail, own);
  if (answered === undefined) return matchFurther();
  const { id: answeredId, by: matchedBy } = answered;
  const ticket = await lockTicketOfMessage(tx, workspaceId, { messageId: answeredId, senderId });
  if (ticket === undefined || (matchedBy !== 'report' && !mayJoin(parts, ticket))) return matchFurther();
  const { messageId } = mail.parsed;
  const isTaken = messageId !== null && (await isMailIdTaken(tx, workspaceId, messageId));
  const isSenderKnown = ticket.isSenderKnown && !isForged(mail);
  return {
    ticket,
    answeredId,
    threading: {
      matchedBy,
      matchedId: answeredId,
      isSenderKnown,
      fingerprint: mail.fingerprint,
      ...(isTaken ? { hasIdOfAnother: true } : {}),
    },
  };
}

function mayJoin({ isBlocked }: Pick<MatchParts, 'isBlocked'>, { spamAt }: Pick<MailTicket, 'spamAt'>): boolean {
  return !isBlocked || spamAt !== null;
}

/** Imported mail is not authenticated. */
function isForged({ raw, authentication }: Pick<UnderstoodMail, 'raw' | 'authentication'>): boolean {
  return raw.origin === 'live' && authentication.verdict === 'fail';
}

function matchNothing({ fingerprint }: UnderstoodMail): Match {
  const threading = { matchedBy: null, matchedId: null, isSenderKnown: null, fingerprint };
  return { ticket: null, answeredId: undefined, threading };
}

/** The message that a bounce reports on, otherwise the message whose reply token is in a recipient's address. */
async function findAnswered(
  tx: Tx,
  workspaceId: WorkspaceId,
  mail: UnderstoodMail,
  own: OwnAddresses,
): Promise<{ id: MessageId; by: 'report' | 'token' } | undefined> {
  if (isSentByHand(mail, own)) return undefined;
  const { kind, originalMessageId, originalOwnId } = mail.report ?? {};
  // The provider may have replaced our Message-ID by an id that we do not know yet. Reports rarely include our own id
  // header.
  for (const id of kind === 'bounce' && !isForged(mail) ? [originalMessageId, originalOwnId] : []) {
    const bounced = id ? await findSentMessage(tx, workspaceId, id) : undefined;
    if (bounced !== undefined) return { id: bounced, by: 'report' };
  }
  const byToken = answeredByToken(mail, own);
  return byToken === undefined ? undefined : { id: byToken, by: 'token' };
}

/**
 * Matches by Message-IDs (RFC 5322 §3.6.4): In-Reply-To, References from last to first, the subject of a report, and
 * the mail's own id, which other mails may have named earlier. Live mail follows the first id that it may follow. It
 * falls back to tokens of an earlier help desk, to the provider's thread, then to subject and writer. An import joins
 * its own untouched tickets that the mail names.
 */
async function matchIds(tx: Tx, parts: MatchParts, mail: UnderstoodMail): Promise<Match> {
  const { workspaceId, senderId } = parts;
  const { origin } = mail.raw;
  const clues = cluesOf(mail);
  const found = await findTicketsOfMailIds(tx, workspaceId, { ids: clues.map(({ id }) => id), senderId });
  const { answeredId, threading } = matchNothing(mail);
  const isOurs = origin === 'import' || isSentByHand(mail, parts.own);
  const mayLead = (ticket: MailTicket, clue: Clue) =>
    (isOurs && ticket.matchedIds.includes(clue.id)) || leads(ticket, clue);
  // A ticket in spam takes a mail only if the mail leads to no other ticket. Otherwise a single mail in spam would draw
  // the conversation after it.
  const takers = found.filter((ticket) => mayJoin(parts, ticket));
  const candidates = [takers.filter(({ spamAt }) => spamAt === null), takers.filter(({ spamAt }) => spamAt !== null)];
  const [lead] = candidates.flatMap((tickets) => {
    const clue = clues.find((one) => tickets.some((ticket) => mayLead(ticket, one)));
    const first = clue && tickets.find((ticket) => mayLead(ticket, clue));
    return clue === undefined || first === undefined ? [] : [{ clue, first }];
  });
  if (lead === undefined) {
    const desk = await matchFormerDesk(tx, parts, mail);
    const fallback = desk?.match ?? (await matchThread(tx, parts, mail)) ?? (await matchSubject(tx, parts, mail));
    if (fallback === undefined)
      return { ticket: null, answeredId, named: ofTeam([...found, ...(desk ? [desk.named] : [])]), threading };
    const { ticket, ...by } = fallback;
    return { ticket, answeredId, threading: { ...threading, ...by, isSenderKnown: ticket.isSenderKnown } };
  }
  const { clue, first } = lead;
  const ours = origin === 'import' && first.isImportOnly ? found.filter(({ isImportOnly }) => isImportOnly) : [first];
  const ticket =
    ours.length > 1 ? await joinImported(tx, workspaceId, ours, { isPast: mail.raw.hosted === null }) : first;
  const { messageId } = mail.parsed;
  const isTaken =
    messageId !== null &&
    found.some(({ matchedIds }) => matchedIds.includes(messageId)) &&
    (await isMailIdTaken(tx, workspaceId, messageId));
  return {
    ticket,
    answeredId,
    threading: {
      ...threading,
      matchedBy: clue.by,
      matchedId: clue.id,
      isSenderKnown: ticket.isSenderKnown,
      ...(ours.length > 1 ? { joinedTickets: ours.length - 1 } : {}),
      ...(isTaken ? { hasIdOfAnother: true } : {}),
    },
  };
}

/**
 * Whether a mail may follow an id to a ticket. Strangers can guess an id that no message here has, and the mail's own
 * id, which another mail named before. Such ids lead only participants of the ticket. Nobody can guess the root id of
 * a ticket.
 */
function leads({ matchedIds, messageIds, isSenderKnown }: MailTicket, { id, by }: Clue): boolean {
  if (!matchedIds.includes(id)) return false;
  return isSenderKnown || (by !== 'message-id' && (messageIds.includes(id) || isRootId(id)));
}

/** Every Message-ID that will identify the mail's ticket. */
export function idsOf(mail: UnderstoodMail): string[] {
  const reported = mail.report?.originalMessageId ?? null;
  return [...new Set([...namedIds(mail.parsed), ...(reported === null ? [] : [reported])])];
}

type Clue = { id: string; by: MatchedBy };

function cluesOf(mail: UnderstoodMail): Clue[] {
  const { parsed } = mail;
  const replied = new Set(parsed.inReplyTo);
  const own = parsed.messageId === null ? [] : [{ id: parsed.messageId, by: 'message-id' as const }];
  return [
    ...threadIds(parsed).map((id): Clue => ({ id, by: replied.has(id) ? 'in-reply-to' : 'references' })),
    ...reportedIds(mail).map((id) => ({ id, by: 'report' as const })),
    ...own,
  ];
}

type Fallback = { ticket: MailTicket; matchedBy: MatchedBy; matchedId: string | null };

/** The imported ticket that a token of the help desk before names, for those who take part in it. */
async function matchFormerDesk(
  tx: Tx,
  { workspaceId, senderId, own, isBlocked }: MatchParts,
  mail: UnderstoodMail,
): Promise<{ match: Fallback | undefined; named: Pick<MailTicket, 'id' | 'teamId'> } | undefined> {
  if (mail.raw.origin === 'import' || senderId === null) return undefined;
  const isReply = isOfPerson(mail) && isProven(mail, own.isOwn, 'subject');
  const byToken = await findNamedByDesk(tx, workspaceId, { mail, contactId: senderId, isReply });
  if (byToken === undefined) return undefined;
  const { ticket: named, matchedId } = byToken;
  const ticket = await lockMailTicket(tx, workspaceId, { ticketId: named.id, senderId });
  const mayTake = ticket?.isSenderKnown && mayJoin({ isBlocked }, ticket);
  return { match: mayTake ? { ticket, matchedBy: 'former-desk', matchedId } : undefined, named };
}

/** The ticket of the newest known message in the provider's thread of this mail. */
async function matchThread(
  tx: Tx,
  { workspaceId, senderId, own, threads, isBlocked }: MatchParts,
  mail: UnderstoodMail,
): Promise<Fallback | undefined> {
  const { hosted } = mail.raw;
  if (hosted?.threadId == null) return undefined;
  const messageId = threads.get(threadKey(hosted));
  if (messageId === undefined) return undefined;
  const ticket = await lockTicketOfMessage(tx, workspaceId, { messageId, senderId });
  if (ticket === undefined || !mayJoin({ isBlocked }, ticket)) return undefined;
  // A thread leads only those into spam who wrote there.
  if (ticket.spamAt !== null && !ticket.isSenderKnown) return undefined;
  // Where a thread is only a hint, the subject of strangers' mail must match as well.
  const isCertain =
    traitsOf(hosted.provider).threadsAreCertain ||
    ticket.isSenderKnown ||
    isSentByHand(mail, own) ||
    (isOfPerson(mail) && normaliseSubject(ticket.subject) === normaliseSubject(mail.subject));
  return isCertain ? { ticket, matchedBy: 'provider-thread', matchedId: hosted.threadId } : undefined;
}

/**
 * The last resort for live mail: the same subject within seven days, from a proven participant. Generic
 * subjects never match.
 */
async function matchSubject(
  tx: Tx,
  { workspaceId, senderId, own, isBlocked }: MatchParts,
  mail: UnderstoodMail,
): Promise<Fallback | undefined> {
  const { origin, receivedAt } = mail.raw;
  if (origin === 'import' || senderId === null || !isProven(mail, own.isOwn, 'subject')) return undefined;
  if (!isOfPerson(mail) || isGenericSubject(mail.subject)) return undefined;
  const since = new Date(receivedAt.getTime() - subjectDaysMax * dayMs);
  const recent = await findRecentTicketsOf(tx, workspaceId, { contactId: senderId, since });
  const subject = normaliseSubject(mail.subject);
  const alike = recent.filter((ticket) => normaliseSubject(ticket.subject) === subject);
  const best = alike.find(({ isSpam }) => !isSpam && !isBlocked) ?? alike.find(({ isSpam }) => isSpam);
  if (best === undefined) return undefined;
  const ticket = await lockMailTicket(tx, workspaceId, { ticketId: best.id, senderId });
  return ticket?.isSenderKnown && mayJoin({ isBlocked }, ticket)
    ? { ticket, matchedBy: 'subject', matchedId: null }
    : undefined;
}

/** The contact of a mail's writer, from `contacts`. */
export function writerOf<Contact>(mail: UnderstoodMail, contacts: ReadonlyMap<string, Contact>): Contact | undefined {
  return mail.from === null ? undefined : contacts.get(caseKey(mail.from.email));
}
