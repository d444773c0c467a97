import type { Contact } from '../contacts/upsert.ts';
import { caseKey } from '../lib/text.ts';
import type { ReceivedMail } from '../tickets/receive.ts';
import { idsOf, type Match, writerOf } from './match.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { MailSource } from './raw-mails.ts';
import type { UnderstoodMail } from './understand.ts';

/**
 * An understood mail as the tickets keep it: people as contacts, our own addresses as nobody's.
 * @param contacts of the people whom it names, by `caseKey` of their addresses
 */
export function receivedMail(
  { source, own, contacts }: { source: MailSource; own: OwnAddresses; contacts: ReadonlyMap<string, Contact> },
  mail: UnderstoodMail & Pick<ReceivedMail, 'attachments'>,
  threading: Match['threading'],
): ReceivedMail {
  const writer = writerOf(mail, contacts);
  const participants = mail.people.flatMap(({ email }) => contacts.get(caseKey(email))?.id ?? []);
  return {
    ...mail,
    workspaceId: source.workspaceId,
    origin: source.origin,
    mailboxId: source.mailboxId,
    author:
      mail.from === null || writer === undefined
        ? { type: 'system', name: mail.from?.name ?? null, email: mail.from?.email ?? null }
        : { type: 'customer', contactId: writer.id, ...mail.from },
    participantIds: [...new Set(participants)],
    replyToAddresses: mail.replyToAddresses.filter((email) => !own.isOwn(email)),
    deliveredToAddresses: mail.deliveredToAddresses.filter((email) => !own.isInbound(email)),
    rfcMessageId: mail.parsed.messageId,
    namedIds: idsOf(mail),
    isFromPerson: isFromPerson(mail, threading) && (mail.from === null || !own.isOwn(mail.from.email)),
    threading,
    createdAt: source.origin === 'live' ? timeOf(mail) : mail.createdAt,
  };
}

const promptMs = 60_000;

/**
 * Mail that comes at once counts from its arrival: a Date has whole seconds, so a reply or bounce of the same second would
 * stand before the answer that it is about.
 */
function timeOf({ createdAt, raw }: UnderstoodMail): Date {
  return raw.receivedAt.getTime() - createdAt.getTime() < promptMs ? raw.receivedAt : createdAt;
}

/**
 * What came over a list counts as a person's where the writer takes part in the conversation: many support addresses are
 * groups, whose software marks every customer's mail as a list's.
 */
function isFromPerson({ automaticKind }: UnderstoodMail, { isSenderKnown }: Match['threading']): boolean {
  return automaticKind === null || (automaticKind === 'list' && isSenderKnown === true);
}
