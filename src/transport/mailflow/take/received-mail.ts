import { provenRecipients } from '@kontor/mail/mail-authentication.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type { MailPerson } from '../../../helpdesk/contacts/name-claim.ts';
import type { Contact } from '../../../helpdesk/contacts/upsert.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import type { SendingMember, UnderstoodMail } from '../understand.ts';
import { idsOf, type Match, writerOf } from './match.ts';
import type { ReceivedMail, TicketDefaults } from './receive.ts';
import { isSentByHand } from './sent-mail.ts';

/**
 * Converts a parsed mail for the tickets. People become contacts; our own addresses do not.
 * @param contacts the people whom the mail names, by `caseKey` of their addresses
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
    sender,
  }: { threading: Match['threading']; defaults: TicketDefaults; sender: SendingMember | null },
): ReceivedMail {
  const { origin, mailboxId } = mail.raw;
  const isSent = isSentByHand(mail, own);
  const met = peopleToMeet(mail, own);
  const idsOfPeople = (emails: readonly string[]) => [
    ...new Set(emails.flatMap((email) => contacts.get(caseKey(email))?.id ?? [])),
  ];
  const everyone = met.map(({ email }) => email);
  return {
    ...mail,
    workspaceId,
    origin,
    mailboxId,
    defaults,
    direction: isSent ? 'outbound' : 'inbound',
    author: isSent
      ? {
          type: 'agent',
          userId: sender?.userId ?? null,
          name: mail.from?.name ?? sender?.name ?? null,
          email: mail.from?.email ?? sender?.email ?? null,
        }
      : authorOf(mail, contacts),
    requester: (isSent ? firstMet(mail, { own, contacts }) : requesterOf(mail, contacts)) ?? null,
    participantIds: idsOfPeople(everyone),
    knownIds: idsOfPeople(isSent ? everyone : broughtBy(mail, threading, own)),
    deliveredToAddresses: mail.deliveredToAddresses.filter((email) => !own.isInbound(email)),
    envelopeFrom: isSent ? null : mail.envelopeFrom,
    authentication: isSent ? null : mail.authentication,
    headers: isSent ? null : mail.headers,
    forwardedById: mail.forwardedBy?.userId ?? null,
    note: mail.forwardedBy && mail.forwarded?.note ? { by: mail.forwardedBy, text: mail.forwarded.note } : null,
    replyToAddresses: mail.replyToAddresses.filter((email) => !own.isOwn(email)),
    rfcMessageId: mail.parsed.messageId,
    namedIds: idsOf(mail),
    isFromPerson: isFromPerson(mail, threading) && (mail.from === null || !own.isOwn(mail.from.email)),
    threading,
  };
}

/**
 * The people who become contacts. Leaves out our own addresses and the writer of a mail sent by hand, under any alias.
 */
export function peopleToMeet(mail: UnderstoodMail, own: OwnAddresses): MailPerson[] {
  const writerKey = isSentByHand(mail, own) && mail.from !== null ? caseKey(mail.from.email) : undefined;
  return mail.people.filter(({ email }) => !own.isOwn(email) && caseKey(email) !== writerKey);
}

/** The requester of a ticket that our own mail opens. */
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

/** The requester, with name and address as in the mail. */
function requesterOf(mail: UnderstoodMail, contacts: ReadonlyMap<string, Contact>): ReceivedMail['requester'] {
  const writer = writerOf(mail, contacts);
  return mail.from === null || writer === undefined ? null : { id: writer.id, ...mail.from };
}

/**
 * The people whom a mail makes known to its ticket. Imported mail is not authenticated, and counts. A mail that opens a
 * ticket brings its writer, unless it is forged. Other people come only with a proven mail: in an existing ticket that
 * of a participant.
 */
function broughtBy(mail: UnderstoodMail, { isSenderKnown }: Match['threading'], own: OwnAddresses): string[] {
  const { raw, authentication, from, people } = mail;
  if (raw.origin === 'import') return people.map(({ email }) => email);
  if (isSenderKnown === false || authentication.verdict === 'fail') return [];
  return [...(from === null ? [] : [from.email]), ...provenRecipients(mail, own.isOwn)].filter(
    (email) => !own.isOwn(email),
  );
}

/**
 * List mail counts as a person's if the writer takes part in the conversation. Many support addresses are groups,
 * whose software marks every customer's mail as list mail.
 */
function isFromPerson({ automaticKind, relay }: UnderstoodMail, { isSenderKnown }: Match['threading']): boolean {
  return automaticKind === null || (automaticKind === 'list' && (isSenderKnown === true || relay?.isOurs === true));
}
