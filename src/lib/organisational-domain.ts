import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** The domain of a mail address in ASCII, lower case; empty when there is none. */
export function asciiDomainOf(email: string): string {
  return domainToASCII(
    email
      .slice(email.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  ).toLowerCase();
}

/**
 * The part of a domain that one organisation registered, by the public suffix list: `example.co.uk` of `mail.example.co.uk`.
 * Sites that give subdomains to anybody, such as github.io, count as suffixes. A public suffix stands for itself.
 */
function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/** Whether two domains belong to one organisation (RFC 7489 §3.2). */
export function isSameOrganisation(one: string, other: string): boolean {
  return one !== '' && other !== '' && organisationalDomain(one) === organisationalDomain(other);
}
