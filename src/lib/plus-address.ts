import { domainToASCII } from 'node:url';
import { caseKey } from './text.ts';

/** @returns an address as it is compared: folded, its domain as DNS has it, without its plus tag */
export function addressBase(email: string): string {
  return `${localPartOf(email)}@${domainOf(email)}`;
}

/** @returns the part before the last `@`, folded, without its plus tag */
export function localPartOf(email: string): string {
  return caseKey(email.slice(0, Math.max(email.lastIndexOf('@'), 0)).replace(/\+.*$/s, ''));
}

/** @returns the part behind the last `@`, as DNS has it: lower case, Punycode; folded as it is where it is no name */
export function domainOf(email: string): string {
  const domain = caseKey(email.slice(email.lastIndexOf('@') + 1));
  // Most are so already, and every read of a ticket compares some.
  return /^[a-z0-9.-]+$/.test(domain) ? domain : domainToASCII(domain) || domain;
}
