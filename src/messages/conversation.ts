import { caseKey } from '../lib/text.ts';
import { isOfPerson } from './of-person.ts';

/** A mail of a ticket, sent or received, as far as threads are concerned. */
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
  /** What is answered: the last of them that a person wrote to us, else the last that came, else the last of ours. */
  answered: string | null;
  /** The recipients of the answered mail if it came in, else none. */
  addressedTo: string[];
};

/**
 * The part of a ticket's mails that the recipients of an answer have seen. The others' ids stay here: after a merge or with
 * several parties on a ticket they would tell one customer of another.
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

/** Whether somebody of these folded addresses wrote a mail, got it, or is to have the answers to it. */
export function isKnownTo(
  keys: ReadonlySet<string>,
  { authorEmail, to, cc, replyTo }: Pick<TicketMail, 'authorEmail' | 'to' | 'cc' | 'replyTo'>,
): boolean {
  return [...(authorEmail === null ? [] : [authorEmail]), ...to, ...cc, ...replyTo].some((email) =>
    keys.has(caseKey(email)),
  );
}
