import { domainToASCII } from 'node:url';
import { caseKey } from './text.ts';

/** @returns the address in the form used for comparison: folded, without its plus tag, its domain as in DNS */
export function addressBase(email: string): string {
  return `${localPartOf(email)}@${domainOf(email)}`;
}

/** @returns the part before the last `@`, folded, without its plus tag */
export function localPartOf(email: string): string {
  return caseKey(email.slice(0, Math.max(email.lastIndexOf('@'), 0)).replace(/\+.*/s, ''));
}

/** @returns the part after the last `@` as in DNS: lower case, Punycode. An invalid domain is only folded. */
export function domainOf(email: string): string {
  const domain = caseKey(email.slice(email.lastIndexOf('@') + 1));
  // A fast path, because most domains are plain ASCII and every read of a ticket compares some.
  return /^[a-z0-9.-]+$/.test(domain) ? domain : domainToASCII(domain) || domain;
}
