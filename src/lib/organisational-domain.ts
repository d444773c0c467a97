import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** The domain of a mail address in lower-case ASCII; empty when the domain is not valid. */
export function asciiDomainOf(email: string): string {
  return domainToASCII(
    email
      .slice(email.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  ).toLowerCase();
}

/**
 * The part of a domain that an organisation registered, by the public suffix list: `mail.example.co.uk` becomes
 * `example.co.uk`. Sites that give subdomains to anybody, such as github.io, count as suffixes. A public suffix itself
 * is returned unchanged.
 */
function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/** Whether two domains belong to the same organisation (RFC 7489 §3.2). */
export function isSameOrganisation(one: string, other: string): boolean {
  return one !== '' && other !== '' && organisationalDomain(one) === organisationalDomain(other);
}
