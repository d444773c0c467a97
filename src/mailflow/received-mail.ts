import type { MailPerson } from '../contacts/name-claim.ts';
import type { Contact } from '../contacts/upsert.ts';
import type { ReceivedMail, TicketDefaults } from '../inbound/receive.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { idsOf, type Match, writerOf } from './match.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { isSentByHand } from './sent-mail.ts';
import type { UnderstoodMail } from './understand.ts';

/**
 * An understood mail as the tickets keep it: people as contacts, our own addresses as nobody's.
 * @param contacts of the people whom it names, by `caseKey` of their addresses
 */
export function receivedMail(
  {
    workspaceId,
    own,
    contacts,
  }: { workspaceId: WorkspaceId; own: OwnAddresses; contacts: ReadonlyMap<string, Contact> },
  mail: UnderstoodMail & Pick<ReceivedMail, 'attachments'>,
  {
    threading,
    defaults,
    senderUserId,
  }: { threading: Match['threading']; defaults: TicketDefaults; senderUserId: UserId | null },
): ReceivedMail {
  const { origin, mailboxId } = mail.raw;
  const isSent = isSentByHand(mail, own);
  const people = peopleToMeet(mail, own).flatMap((person) => contacts.get(caseKey(person.email)) ?? []);
  return {
    ...mail,
    workspaceId,
    origin,
    mailboxId,
    defaults,
    direction: isSent ? 'outbound' : 'inbound',
    author: isSent
      ? { type: 'agent', userId: senderUserId, name: mail.from?.name ?? null, email: mail.from?.email ?? null }
      : authorOf(mail, contacts),
    requester: (isSent ? firstMet(mail, { own, contacts }) : requesterOf(mail, contacts)) ?? null,
    participantIds: [...new Set(people.map(({ id }) => id))],
    bringsKnown: isSent || bringsKnown(mail, threading),
    deliveredToAddresses: mail.deliveredToAddresses.filter((email) => !own.isInbound(email)),
    envelopeFrom: isSent ? null : mail.envelopeFrom,
    authentication: isSent ? null : mail.authentication,
    replyToAddresses: mail.replyToAddresses.filter((email) => !own.isOwn(email)),
    rfcMessageId: mail.parsed.messageId,
    namedIds: idsOf(mail),
    isFromPerson: isFromPerson(mail, threading) && (mail.from === null || !own.isOwn(mail.from.email)),
    threading,
  };
}

/** Whom a mail makes known: nobody of ours, and so not the writer of what was sent by hand, by whatever alias. */
export function peopleToMeet(mail: UnderstoodMail, own: OwnAddresses): MailPerson[] {
  const writerKey = isSentByHand(mail, own) && mail.from !== null ? caseKey(mail.from.email) : undefined;
  return mail.people.filter(({ email }) => !own.isOwn(email) && caseKey(email) !== writerKey);
}

/** Whom a ticket is about that a mail of ours opens. */
export function firstMet(
  mail: UnderstoodMail,
  { own, contacts }: { own: OwnAddresses; contacts: ReadonlyMap<string, Contact> },
): Contact | undefined {
  const [key] = peopleToMeet(mail, own).flatMap(({ email }) => (contacts.has(caseKey(email)) ? [caseKey(email)] : []));
  return key === undefined ? undefined : contacts.get(key);
}

function authorOf(mail: UnderstoodMail, contacts: ReadonlyMap<string, Contact>): ReceivedMail['author'] {
  const writer = writerOf(mail, contacts);
  return mail.from === null || writer === undefined
    ? { type: 'system', name: mail.from?.name ?? null, email: mail.from?.email ?? null }
    : { type: 'customer', contactId: writer.id, ...mail.from };
}

/** As the mail names them. */
function requesterOf(mail: UnderstoodMail, contacts: ReadonlyMap<string, Contact>): ReceivedMail['requester'] {
  const writer = writerOf(mail, contacts);
  return mail.from === null || writer === undefined ? null : { id: writer.id, ...mail.from };
}

/**
 * Whether the people whom a mail names become known to its ticket. History is not authenticated, and counts. A mail that opens a
 * ticket counts unless it is forged. In an existing ticket only an authenticated participant may bring in others.
 */
function bringsKnown({ raw, authentication }: UnderstoodMail, { isSenderKnown }: Match['threading']): boolean {
  if (raw.origin === 'import') return true;
  if (isSenderKnown === null) return authentication.verdict !== 'fail';
  return isSenderKnown && authentication.verdict === 'pass';
}

/**
 * What came over a list counts as a person's where the writer takes part in the conversation: many support addresses are
 * groups, whose software marks every customer's mail as a list's.
 */
function isFromPerson({ automaticKind }: UnderstoodMail, { isSenderKnown }: Match['threading']): boolean {
  return automaticKind === null || (automaticKind === 'list' && isSenderKnown === true);
}
