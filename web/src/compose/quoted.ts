import type { Message, TicketWithMessages } from '../api/client.ts';
import { isSameAddress } from '../lib/addresses.ts';
import type { DraftContent } from './draft/draft-content.ts';
import type { Recipients } from './recipients/recipients-of.ts';

/** The service quotes no more. */
const quotedMax = 20;

/** The mails that the service will put below a text, newest first: those that its recipients have seen. */
export function quotedIn(
  { messages }: Pick<TicketWithMessages, 'messages'>,
  { quote, forwardOf }: Pick<DraftContent, 'quote' | 'forwardOf'>,
  recipients: Recipients,
): Message[] {
  if (forwardOf !== null) return messages.filter(({ id }) => id === forwardOf);
  if (quote === 'none') return [];
  const readers = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  const seen = messages.filter((message) => isQuotable(message) && isKnownTo(readers, message)).reverse();
  return seen.slice(0, quote === 'last' ? 1 : quotedMax);
}

function isQuotable({ direction, automaticKind, authentication, delivery }: Message): boolean {
  if (direction === 'outbound') return ['sending', 'sent', 'uncertain'].includes(delivery?.status ?? '');
  const isOfPerson = automaticKind === null || automaticKind === 'list';
  return direction === 'inbound' && isOfPerson && authentication?.verdict !== 'fail';
}

function isKnownTo(readers: readonly string[], { author, to, cc, replyTo }: Message): boolean {
  const known = [author.email ?? '', ...to, ...cc, ...replyTo];
  return readers.some((reader) => known.some((address) => isSameAddress(address, reader)));
}
