import type { Message } from '../../api/client.ts';
import { isSameAddress } from '../../lib/addresses.ts';

/**
 * The address from which the service sends an answer if its writer chooses none: the one to which the recipients wrote
 * last, else the mailbox's own.
 * @param senders the addresses from which the mailbox can send, its own first
 */
export function usualSender(
  senders: readonly string[],
  { messages, recipients }: { messages: readonly Message[]; recipients: readonly string[] },
): string | undefined {
  const isKnown = ({ author, to, cc, replyTo }: Message) =>
    [author.email ?? '', ...to, ...cc, ...replyTo].some((email) => recipients.some((one) => isSameAddress(one, email)));
  const seen = messages.filter((message) => message.direction === 'inbound' && isKnown(message));
  const answered =
    seen.findLast(({ automaticKind }) => automaticKind === null || automaticKind === 'list') ?? seen.at(-1);
  const named = answered === undefined ? [] : [...answered.to, ...answered.cc].map(withoutTag);
  return senders.find((sender) => named.some((email) => isSameAddress(email, withoutTag(sender)))) ?? senders[0];
}

function withoutTag(email: string): string {
  return email.replace(/^([^+@]{1,64})\+[^@]*@/, '$1@');
}
