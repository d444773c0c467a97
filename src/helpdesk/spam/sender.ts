import { domainToASCII, domainToUnicode } from 'node:url';
import { isEmailAddress } from '../../ground/http/schema.ts';
import { caseKey } from '../../ground/lib/text.ts';

/** An address or a domain, as it is compared. */
export type SenderKey = { kind: 'address' | 'domain'; key: string };

/**
 * Reads an address, or a domain with or without an `@` before it.
 * @returns undefined for anything else
 */
export function readSender(written: string): SenderKey | undefined {
  const text = written.trim();
  if (text.lastIndexOf('@') > 0) {
    const key = isEmailAddress(text) ? addressKey(text) : undefined;
    return key === undefined ? undefined : { kind: 'address', key };
  }
  const key = domainKey(text.replace(/^@/, ''));
  return key === undefined ? undefined : { kind: 'domain', key };
}

/**
 * Every key that blocks an address: the address, the address without its plus tag, its domain, and each domain above.
 * An entry with a plus tag blocks only that tag.
 */
export function keysOf(email: string): string[] {
  const at = email.lastIndexOf('@');
  const domain = domainKey(email.slice(at + 1));
  const address = addressKey(email);
  if (at < 1 || domain === undefined || address === undefined) return [];
  const base = address.replace(/^([^+@]*)\+[^@]*@/, '$1@');
  const labels = domain.split('.');
  const above = labels.map((_, place) => labels.slice(place).join('.'));
  return [...new Set([address, ...(base.startsWith('@') ? [] : [base]), ...above])];
}

/** The ways in which an account may have written the address of a mail: its domain in either form, no plus tag. */
export function spellingsOf(email: string): string[] {
  const addresses = [caseKey(email), ...keysOf(email).filter((key) => key.includes('@'))];
  const inUnicode = addresses.map((address) => {
    const at = address.lastIndexOf('@');
    return `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1))}`;
  });
  return [...new Set([...addresses, ...inUnicode])];
}

function addressKey(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = domainKey(email.slice(at + 1));
  // Quotes around a local part belong to its spelling, not to the address.
  const local = caseKey(email.slice(0, at)).replace(/^"(.*)"$/s, (_, quoted: string) =>
    quoted.replace(/\\(.)/gs, '$1'),
  );
  return domain === undefined || local === '' ? undefined : `${local}@${domain}`;
}

const label = '(?!-)[^\\s@.*\\p{C}]{1,63}(?<!-)';
const domainPattern = new RegExp(`^${label}(?:\\.${label})*$`, 'u');
const domainLengthMax = 253;

/** The domain as in DNS: lower case, Punycode, without a dot at its end. An invalid domain is only folded. */
function domainKey(written: string): string | undefined {
  const folded = caseKey(written).replace(/[.。．｡]$/u, '');
  // `domainToASCII` would cut off the path of a web address.
  if (/[/:?#\\]/.test(folded)) return undefined;
  // The function of URLs would read some plain names as numbers of hosts.
  const ascii = /^[a-z0-9._-]*$/.test(folded) ? folded : domainToASCII(folded) || folded;
  return ascii.length <= domainLengthMax && domainPattern.test(ascii) ? ascii : undefined;
}
