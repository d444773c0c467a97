import { caseKey } from '../../ground/lib/text.ts';
import { isOfPerson } from './of-person.ts';

/** The fields of a ticket's mail, sent or received, that threading needs. */
export type TicketMail = {
  rfcMessageId: string;
  direction: 'inbound' | 'outbound';
  automaticKind: string | null;
  authorEmail: string | null;
  to: readonly string[];
  cc: readonly string[];
  replyTo: readonly string[];
};

export type Conversation = {
  /** Message-IDs of the mails that the recipients have seen, oldest first. */
  ids: string[];
  /** The mail that the answer replies to: the last mail by a person, else the last inbound mail, else our last. */
  answered: string | null;
  /** The recipients of the answered mail if that mail was inbound, else nobody. */
  addressedTo: string[];
};

/**
 * Selects the mails of a ticket that the recipients of an answer have seen.
 * The ids of other mails must not leave: a merged ticket, or one with several parties, would tell one
 * customer about another.
 * @param mails oldest first
 */
export function conversationOf(mails: readonly TicketMail[], recipients: readonly string[]): Conversation {
  const keys = new Set(recipients.map(caseKey));
  const seen = mails.filter((mail) => isKnownTo(keys, mail));
  const inbound = seen.filter(({ direction }) => direction === 'inbound');
  const answered = inbound.findLast(isOfPerson) ?? inbound.at(-1) ?? seen.at(-1);
  return {
    ids: seen.map(({ rfcMessageId }) => rfcMessageId),
    answered: answered?.rfcMessageId ?? null,
    addressedTo: answered?.direction === 'inbound' ? [...answered.to, ...answered.cc] : [],
  };
}

/** Whether one of these folded addresses wrote the mail, received it, or is in its Reply-To. */
export function isKnownTo(
  keys: ReadonlySet<string>,
  { authorEmail, to, cc, replyTo }: Pick<TicketMail, 'authorEmail' | 'to' | 'cc' | 'replyTo'>,
): boolean {
  return [...(authorEmail === null ? [] : [authorEmail]), ...to, ...cc, ...replyTo].some((email) =>
    keys.has(caseKey(email)),
  );
}
