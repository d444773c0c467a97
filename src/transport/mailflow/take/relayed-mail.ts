import { readAddresses } from '@kontor/mail/addresses.ts';
import { headerOf, type MailAddress } from '@kontor/mail/mail.ts';
import { isProven } from '@kontor/mail/mail-authentication.ts';
import { asciiDomainOf, isSameOrganisation } from '@kontor/mail/organisational-domain.ts';
import { addressBase, localPartOf } from '../../../ground/lib/plus-address.ts';
import { traitsOf } from '../../../mail/providers/registry.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import type { UnderstoodMail } from '../understand.ts';
import { isSentByHand } from './sent-mail.ts';

/**
 * Names the person who wrote a mail that another program sent in its own name: a group or list of ours that rewrites
 * From, a form of our website, another workspace, or a form service's `no-reply@`. Then Reply-To names the person, or
 * the fields of the list. Any other mail stays as it is.
 *
 * The sender of such a mail vouches at most for passing it on, never for the person: anybody can fill in a form. So it
 * has no `pass` for that person.
 */
export function withWriter<Mail extends UnderstoodMail>(mail: Mail, own: OwnAddresses): Mail {
  const writer = mail.report === null && !isSentByHand(mail, own) ? findWriter(mail, own) : undefined;
  if (writer === undefined) return mail;
  const { authentication, people } = mail;
  const { verdict } = authentication;
  return {
    ...mail,
    from: writer,
    people: [{ ...writer, claim: null }, ...people.slice(1)],
    authentication: { ...authentication, verdict: verdict === 'pass' ? 'none' : verdict },
    relay: { isOurs: isOurs(mail, own), isProven: isProvenRelay(mail, own) },
  };
}

function findWriter(mail: UnderstoodMail, own: OwnAddresses): MailAddress | undefined {
  const { from, parsed, automaticKind } = mail;
  if (from === null) return undefined;
  const isOwnAddress = own.isOwn(from.email);
  const isList = automaticKind === 'list';
  const candidates = [...(isOwnAddress && isList ? originalSenders(mail) : []), ...parsed.replyTo];
  const writer = candidates.find(({ email }) => localPartOf(email) !== '' && !own.isOwn(email));
  if (writer === undefined) return undefined;
  const isElsewhere = !isSameOrganisation(asciiDomainOf(writer.email), asciiDomainOf(from.email));
  const isForm = isElsewhere && (own.isOwnDomain(from.email) || (isNoReply(from.email) && !isToMany(automaticKind)));
  if (!isOwnAddress && !isForm) return undefined;
  // Each answer of another workspace has a Reply-To with a token of its own, but comes from one writer.
  const email = own.isOwnDomain(writer.email) ? addressBase(writer.email) : writer.email;
  return { email, name: writer.name ?? (isOwnAddress ? nameBeforeVia(from.name) : null) };
}

/** The writer by the fields that Google Groups and Mailman add. */
function originalSenders({ parsed }: UnderstoodMail): MailAddress[] {
  return ['x-original-from', 'x-original-sender'].flatMap((name) => readAddresses(headerOf(parsed, name) ?? ''));
}

/** Whether nobody reads mail to the address. */
export function isNoReply(email: string): boolean {
  return /^(?:no[-_.]?reply|do[-_.]?not[-_.]?reply)/.test(localPartOf(email));
}

function isToMany(automaticKind: string | null): boolean {
  return automaticKind === 'list' || automaticKind === 'bulk';
}

/** Lists write `'Eva Example' via Support`. */
function nameBeforeVia(name: string | null): string | null {
  const end = name?.lastIndexOf(' via ') ?? -1;
  return end < 1 ? null : (name?.slice(0, end).replace(/^['"]|['"]$/g, '') ?? null) || null;
}

function isOurs({ from }: UnderstoodMail, own: OwnAddresses): boolean {
  return from !== null && (own.isOwn(from.email) || own.isOwnDomain(from.email));
}

/** Whether our own domain proves that it passed the mail on. At a mailbox without checks, its server is the gate. */
function isProvenRelay(mail: UnderstoodMail, own: OwnAddresses): boolean {
  const { raw } = mail;
  const isUnchecked = raw.origin === 'import' || (raw.hosted !== null && !traitsOf(raw.hosted.provider).authenticator);
  return isOurs(mail, own) && (isUnchecked || isProven(mail, own.isOwn, 'reply-to'));
}
