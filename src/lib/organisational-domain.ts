import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** The domain of a mail address, as DNS writes it; empty for none. */
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
 * Sites that hand out subdomains to anybody, such as github.io, count as suffixes. A domain above all suffixes is its own.
 */
function organisationalDomain(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/** Whether two domains belong to one organisation (RFC 7489 §3.2). */
export function isSameOrganisation(one: string, other: string): boolean {
  return one !== '' && other !== '' && organisationalDomain(one) === organisationalDomain(other);
}
