import { type Queryable, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { asciiDomainOf, isSameOrganisation } from '../lib/organisational-domain.ts';
import { caseKey } from '../lib/text.ts';
import { isOfPerson } from '../messages/of-person.ts';
import { type Recipients, withoutRepeats } from '../messages/recipients.ts';
import type { StoredMessage } from '../messages/schema.ts';
import { isOwnAddress, type OwnAddress } from '../workspaces/own-address.ts';
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
>;

/** Limits the defaults, because a mail may name any number of people. The agent can still choose the rest. */
const defaultRecipientsMax = 10;

/**
 * The recipients of a reply to all: the author of the last customer message that no machine wrote, and in `cc`
 * everyone else whom the message names. Without such a message: the requester, else the recipients of our last mail.
 * Leaves out our own addresses and those at which the mail came in.
 *
 * A forged mail adds nobody. Only mail of earlier participants counts, and none that failed authentication.
 * A mail without a `pass` adds no new people, and its Reply-To does not count.
 * @param messages oldest first
 */
export function replyDefaultsOf(
  {
    requester,
    messages,
  }: { requester: Pick<NonNullable<Ticket['requester']>, 'email'> | null; messages: readonly RepliedMessage[] },
  own: OwnAddress,
): Recipients {
  const known = new Set(requester === null ? [] : [caseKey(requester.email)]);
  const meet = (...emails: readonly string[]) => {
    for (const email of emails) known.add(caseKey(email));
  };
  let last: RepliedMessage | undefined;
  for (const message of messages) {
    const { direction, author, to, cc, authentication, isSenderKnown } = message;
    if (direction === 'outbound') meet(...to, ...cc);
    if (!isOfCustomer(message) || author.email === null || authentication?.verdict === 'fail') continue;
    if (isSenderKnown === false && !known.has(caseKey(author.email))) continue;
    // The mail that opens a ticket decides who takes part in it.
    const mayBringOthers = isSenderKnown === null || authentication?.verdict === 'pass';
    meet(author.email, ...(mayBringOthers ? [...to, ...cc] : []));
    last = message;
  }
  const toLast = last === undefined ? nobody : replyTo(last, known, own);
  if (toLast.to.length > 0) return bounded(toLast);
  if (requester !== null) return bounded(withoutRepeats(own, { to: [requester.email], cc: [] }));
  const lastOut = messages.findLast(({ direction, to }) => direction === 'outbound' && to.length > 0);
  return bounded(lastOut === undefined ? nobody : withoutRepeats(own, lastOut));
}

const nobody: Recipients = { to: [], cc: [] };

function isOfCustomer(message: RepliedMessage): boolean {
  return message.direction === 'inbound' && message.author.type === 'customer' && isOfPerson(message);
}

function replyTo(message: RepliedMessage, known: ReadonlySet<string>, own: OwnAddress): Recipients {
  const ours = new Set(message.deliveredTo.map(caseKey));
  const others = [...message.to, ...message.cc].filter(
    (email) => known.has(caseKey(email)) && !ours.has(caseKey(email)),
  );
  return withoutRepeats(own, { to: addressesOf(message, own), cc: others });
}

/** The Reply-To of authenticated mail, if it is in the author's organisation and not our own address; else From. */
function addressesOf({ author, replyTo, authentication }: RepliedMessage, own: OwnAddress): string[] {
  if (author.email === null) return [];
  const domain = asciiDomainOf(author.email);
  const theirs = replyTo.filter(
    (email) => isSameOrganisation(asciiDomainOf(email), domain) && !isOwnAddress(own, email),
  );
  return authentication?.verdict === 'pass' && theirs.length > 0 ? theirs : [author.email];
}

function bounded({ to, cc }: Recipients): Recipients {
  const most = to.slice(0, defaultRecipientsMax);
  return { to: most, cc: cc.slice(0, defaultRecipientsMax - most.length) };
}

/** Reads the same from a ticket's rows, without the texts of its messages. */
export async function findReplyDefaults(
  db: Queryable,
  workspaceId: WorkspaceId,
  { ticketId, own }: { ticketId: TicketId; own: OwnAddress },
): Promise<Recipients> {
  const [requester, messages] = await together([
    db.maybe<{ email: string }>(sql`
      select c.email
      from tickets t
      join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`),
    db.rows<Omit<RepliedMessage, 'author'> & { type: RepliedMessage['author']['type']; email: string | null }>(sql`
      select m.direction, m.author_type as type, m.author_email as email, m.automatic_kind as "automaticKind",
        m.to_addresses as "to", m.cc_addresses as cc, m.reply_to_addresses as "replyTo",
        m.delivered_to_addresses as "deliveredTo", m.authentication,
        case when m.direction = 'inbound' then (m.threading->>'isSenderKnown')::boolean end as "isSenderKnown"
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.direction <> 'internal'
      order by m.created_at, m.id`),
  ]);
  const replied = messages.map(({ type, email, ...message }) => ({
    ...message,
    author: { type, email, userId: null, name: null },
  }));
  return replyDefaultsOf({ requester: requester ?? null, messages: replied }, own);
}
