import { caseKey } from '../lib/text.ts';
import type { OwnAddress } from '../workspaces/own-address.ts';
import type { StoredMessage } from './message-schema.ts';
import { isOfPerson } from './of-person.ts';
import { addressesOf, type Recipients, recipientsMax, withoutRepeats } from './recipients.ts';
import type { Ticket } from './schema.ts';

type RepliedMessage = Pick<
  StoredMessage,
  'direction' | 'author' | 'automaticKind' | 'to' | 'cc' | 'replyTo' | 'deliveredTo'
>;

/**
 * Whom a reply to all goes to: the writer of the last customer's message that no machine wrote, at its Reply-To where it has
 * one, and in `cc` everyone else whom it names. Without such a message the requester, else whom we wrote to last. Never
 * ourselves: neither our own addresses nor those at which the mail came in.
 * @param messages oldest first
 */
export function replyDefaultsOf(
  { requester, messages }: Pick<Ticket, 'requester'> & { messages: readonly RepliedMessage[] },
  own: OwnAddress,
): Recipients {
  const last = messages.findLast(
    (message) => message.direction === 'inbound' && message.author.type === 'customer' && isOfPerson(message),
  );
  const toLast = last === undefined ? nobody : replyTo(last, own);
  if (toLast.to.length > 0) return bounded(toLast);
  if (requester !== null) return bounded(withoutRepeats(own, { to: [requester.email], cc: [] }));
  const lastOut = messages.findLast(({ direction, to }) => direction === 'outbound' && to.length > 0);
  return bounded(lastOut === undefined ? nobody : withoutRepeats(own, lastOut));
}

const nobody: Recipients = { to: [], cc: [] };

function replyTo({ author, to, cc, replyTo, deliveredTo }: RepliedMessage, own: OwnAddress): Recipients {
  if (author.email === null) return nobody;
  const writer = addressesOf(own, { email: author.email, replyTo });
  const ours = new Set(deliveredTo.map(caseKey));
  return withoutRepeats(own, { to: writer, cc: [...to, ...cc].filter((email) => !ours.has(caseKey(email))) });
}

/** No more than an answer takes. */
function bounded({ to, cc }: Recipients): Recipients {
  return { to: to.slice(0, recipientsMax), cc: cc.slice(0, Math.max(recipientsMax - to.length, 0)) };
}
