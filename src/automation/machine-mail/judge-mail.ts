import type { MailAuthentication } from '@kontor/mail/mail-authentication.ts';
import { asciiDomainOf, isSameOrganisation } from '@kontor/mail/organisational-domain.ts';
import { localPartOf } from '../../ground/lib/plus-address.ts';
import type { KeptHeaders } from '../../helpdesk/messages/kept-headers.ts';
import { isNoReply } from '../../transport/mailflow/take/relayed-mail.ts';
import type { Withheld } from './withheld.ts';

/** What the mail itself, and the place where it lies, say about an answer. */
export type JudgedMail = {
  /** Whether a customer sent it: nobody else wrote, sent or passed it on. */
  isOfCustomer: boolean;
  isLive: boolean;
  isSample: boolean;
  automaticKind: string | null;
  headers: KeptHeaders | null;
  /** MAIL FROM, empty for `<>`; null when unknown. */
  envelopeFrom: string | null;
  authorEmail: string | null;
  verdict: MailAuthentication['verdict'] | null;
  /** The addresses in To and Cc. */
  addressedTo: readonly string[];
};

/** Whose addresses they are. */
export type OurAddresses = {
  isOwn: (email: string) => boolean;
  /** Whether the address is a member's. */
  isMember: (email: string) => boolean;
  isBlocked: (email: string) => boolean;
};

type Answerable = { to: string } | { withheld: Withheld };

/**
 * Whether a machine may answer a mail (RFC 3834 §2 and §4), and to whom: the address in From, which its sender has
 * proven, or whose organisation the envelope names.
 */
export function judgeMail(mail: JudgedMail, { isOwn, isMember, isBlocked }: OurAddresses): Answerable {
  const { authorEmail: from, envelopeFrom } = mail;
  if (mail.isSample) return { withheld: 'sample' };
  if (!mail.isOfCustomer || from === null) return { withheld: 'not_mail' };
  if (!mail.isLive) return { withheld: 'not_live' };
  if (isBlocked(from)) return { withheld: 'not_in_inbox' };
  if (mail.automaticKind !== null) return { withheld: 'automatic' };
  if (asksForNone(mail.headers)) return { withheld: 'asked_not_to' };
  if (envelopeFrom === null || localPartOf(envelopeFrom) === '') return { withheld: 'no_envelope_sender' };
  const senders = [from, envelopeFrom];
  if (senders.some((email) => isOwn(email) || isMember(email))) return { withheld: 'own_address' };
  if (senders.some(isMachineAddress)) return { withheld: 'machine_address' };
  if (!mail.addressedTo.some(isOwn)) return { withheld: 'not_addressed' };
  if (!isCertain(mail.verdict, from, envelopeFrom)) return { withheld: 'unproven' };
  return { to: from };
}

/** Exchange asks so: `OOF`, `AutoReply` and `All` mean answers such as ours, `DR` and `RN` receipts. */
function asksForNone(headers: KeptHeaders | null): boolean {
  return (headers?.['x-auto-response-suppress'] ?? []).some((value) => /\b(?:all|oof|autoreply)\b/i.test(value));
}

/** Lists and programs that send mail have such addresses (RFC 3834 §2). */
function isMachineAddress(email: string): boolean {
  const name = localPartOf(email);
  return isNoReply(email) || /^(?:mailer-daemon$|owner-|bounces?(?:$|[-_.=]))|-(?:bounces?|request|owner)$/.test(name);
}

/** A mail that no check has judged counts if its envelope names the organisation of its From. */
function isCertain(verdict: JudgedMail['verdict'], from: string, envelopeFrom: string): boolean {
  if (verdict === 'pass') return true;
  return verdict === 'none' && isSameOrganisation(asciiDomainOf(envelopeFrom), asciiDomainOf(from));
}
