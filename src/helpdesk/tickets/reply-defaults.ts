import { isProven, provenRecipients } from '@kontor/mail/mail-authentication.ts';
import { asciiDomainOf, isSameOrganisation } from '@kontor/mail/organisational-domain.ts';
import { isOwnAddress, type OwnAddress } from '../../access/workspaces/own-address.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { isOfPerson } from '../messages/of-person.ts';
import { type Recipients, withoutRepeats } from '../messages/recipients.ts';
import type { StoredMessage } from '../messages/schema.ts';
import type { Ticket } from './schema.ts';

type RepliedMessage = Pick<
  StoredMessage,
  | 'direction'
  | 'author'
  | 'automaticKind'
  | 'to'
  | 'cc'
  | 'replyTo'
  | 'deliveredTo'
  | 'authentication'
  | 'isSenderKnown'
  | 'forwardOf'
  | 'createdAt'
>;

type Conversation = {
  requester: Pick<NonNullable<Ticket['requester']>, 'email'> | null;
  /** When somebody chose the requester. */
  requesterChosenAt: string | null;
  messages: readonly RepliedMessage[];
};

export type ReplyRecipients = {
  replyDefaults: Recipients;
  /** Other people whom the answered mail names. */
  replyOffers: string[];
};

/** Limits the defaults, because a mail may name any number of people. The agent can still choose the rest. */
const defaultRecipientsMax = 10;

/**
 * The recipients of a reply to all: the author of the last customer message that no machine wrote, and in `cc`
 * everyone else whom the message names. Without such a message, and if somebody chose another requester since: the
 * requester, else the recipients of our last mail.
 * Leaves out our own addresses and those at which the mail came in, and people who only got a forward: they are asked,
 * and do not ask.
 *
 * A forged mail adds nobody. Only mail of earlier participants counts, and none that failed authentication.
 * A mail whose sender is not proven adds no new people, which are only offered, and its Reply-To does not count.
 * @param messages oldest first
 */
export function replyRecipientsOf(conversation: Conversation, own: OwnAddress): ReplyRecipients {
  const { requester, messages } = conversation;
  const { last, known } = followConversation(messages, requester?.email ?? null, own);
  const passedOver = last !== undefined && isBeforeRequester(last, conversation) ? last : undefined;
  const toLast = last === undefined || passedOver !== undefined ? nobody : replyTo(last, known, own);
  if (last !== undefined && toLast.to.length > 0)
    return { replyDefaults: bounded(toLast), replyOffers: offersOf(othersOf(last), toLast, own) };
  const lastOut = messages.findLast(
    ({ direction, to, forwardOf }) => direction === 'outbound' && to.length > 0 && forwardOf === null,
  );
  const others =
    requester === null
      ? withoutRepeats(own, lastOut ?? nobody)
      : withoutRepeats(own, { to: [requester.email], cc: [] });
  const offered = passedOver === undefined ? [] : [...addressesOf(passedOver, own), ...othersOf(passedOver)];
  return { replyDefaults: bounded(others), replyOffers: offersOf(offered, others, own) };
}

/** Whether somebody made another person the requester since the message. */
function isBeforeRequester(
  { author, createdAt }: RepliedMessage,
  { requester, requesterChosenAt }: Conversation,
): boolean {
  if (requester === null || requesterChosenAt === null || createdAt > requesterChosenAt) return false;
  return caseKey(requester.email) !== caseKey(author.email ?? '');
}

/** Finds the message to answer, and the people who take part. */
function followConversation(
  messages: readonly RepliedMessage[],
  requesterEmail: string | null,
  own: OwnAddress,
): { last: RepliedMessage | undefined; known: ReadonlySet<string> } {
  const known = new Set(requesterEmail === null ? [] : [caseKey(requesterEmail)]);
  const consulted = new Set<string>();
  let last: RepliedMessage | undefined;
  for (const message of messages) {
    const { direction, author, to, cc, authentication, isSenderKnown, forwardOf } = message;
    const met = forwardOf === null ? known : consulted;
    if (direction === 'outbound') for (const email of [...to, ...cc]) met.add(caseKey(email));
    if (!isOfCustomer(message) || author.email === null || authentication?.verdict === 'fail') continue;
    const key = caseKey(author.email);
    if (!known.has(key) && (isSenderKnown === false || consulted.has(key))) continue;
    known.add(key);
    for (const email of broughtBy(message, own)) known.add(caseKey(email));
    last = message;
  }
  return { last, known };
}

const nobody: Recipients = { to: [], cc: [] };

function isOfCustomer(message: RepliedMessage): boolean {
  return message.direction === 'inbound' && message.author.type === 'customer' && isOfPerson(message);
}

/** The people whom a message brings into the conversation. What no check has seen counts if it opened the ticket. */
function broughtBy({ authentication, isSenderKnown, to, cc }: RepliedMessage, own: OwnAddress): string[] {
  if (authentication === null) return isSenderKnown === null ? [...to, ...cc] : [];
  const mail = { authentication, toAddresses: to, ccAddresses: cc };
  return provenRecipients(mail, (email) => isOwnAddress(own, email));
}

/** Everyone else whom a message names, but not the addresses at which it came in. */
function othersOf({ to, cc, deliveredTo }: RepliedMessage): string[] {
  const ours = new Set(deliveredTo.map(caseKey));
  return [...to, ...cc].filter((email) => !ours.has(caseKey(email)));
}

function replyTo(message: RepliedMessage, known: ReadonlySet<string>, own: OwnAddress): Recipients {
  const others = othersOf(message).filter((email) => known.has(caseKey(email)));
  return withoutRepeats(own, { to: addressesOf(message, own), cc: others });
}

/** The Reply-To of authenticated mail, if it is in the author's organisation and not our own address; else From. */
function addressesOf({ author, replyTo, to, cc, authentication }: RepliedMessage, own: OwnAddress): string[] {
  if (author.email === null) return [];
  const domain = asciiDomainOf(author.email);
  const isOwn = (email: string) => isOwnAddress(own, email);
  const theirs = replyTo.filter((email) => isSameOrganisation(asciiDomainOf(email), domain) && !isOwn(email));
  const isBelieved = isProven({ authentication, toAddresses: to, ccAddresses: cc }, isOwn, 'reply-to');
  return isBelieved && theirs.length > 0 ? theirs : [author.email];
}

function offersOf(named: readonly string[], { to, cc }: Recipients, own: OwnAddress): string[] {
  const defaults = new Set([...to, ...cc].map(caseKey));
  const others = withoutRepeats(own, { to: [...named], cc: [] }).to;
  return others.filter((email) => !defaults.has(caseKey(email))).slice(0, defaultRecipientsMax);
}

function bounded({ to, cc }: Recipients): Recipients {
  const most = to.slice(0, defaultRecipientsMax);
  return { to: most, cc: cc.slice(0, defaultRecipientsMax - most.length) };
}

/** Reads the same from a ticket's rows, without the texts of its messages. */
export async function findReplyRecipients(
  db: Queryable,
  scope: Scope,
  { ticketId, own }: { ticketId: TicketId; own: OwnAddress },
): Promise<ReplyRecipients> {
  const { workspaceId } = scope;
  const [ticket, messages] = await together([
    db.maybe<{ email: string | null; chosenAt: string | null }>(sql`
      select c.email, t.requester_chosen_at as "chosenAt"
      from tickets t
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}`),
    db.rows<Omit<RepliedMessage, 'author'> & { type: RepliedMessage['author']['type']; email: string | null }>(sql`
      select m.direction, m.author_type as type, m.author_email as email, m.automatic_kind as "automaticKind",
        m.to_addresses as "to", m.cc_addresses as cc, m.reply_to_addresses as "replyTo",
        m.delivered_to_addresses as "deliveredTo", m.authentication, m.forward_of_id as "forwardOf",
        m.created_at as "createdAt",
        case when m.direction = 'inbound' then (m.threading->>'isSenderKnown')::boolean end as "isSenderKnown"
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.direction <> 'internal'
        and ${ofVisible(scope, 'm.ticket_id')}
      order by m.created_at, m.id`),
  ]);
  const replied = messages.map(({ type, email, ...message }) => ({
    ...message,
    author: { type, email, userId: null, name: null },
  }));
  const email = ticket?.email ?? null;
  return replyRecipientsOf(
    {
      requester: email === null ? null : { email },
      requesterChosenAt: ticket?.chosenAt ?? null,
      messages: replied,
    },
    own,
  );
}
