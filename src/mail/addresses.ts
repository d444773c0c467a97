/** Address lists (RFC 5322 §3.4) through postal-mime's reader, groups flattened, words decoded by our own charsets. */
import { type Address, addressParser } from 'postal-mime';
import { canonicalWords, oneLine } from './encoded-words.ts';
import type { MailAddress } from './mail.ts';
import { type PlainList, QUOTED_STRING, shortestLocalPart, withoutQuotedLocalParts } from './quoted-local-part.ts';

/** Longest list read; the rest of a longer one is passed over. */
const ADDRESSES_MAX = 1_000;
/** Characters of a list that are read. */
export const ADDRESS_LIST_CHARS_MAX = 200_000;
const NAME_CHARS_MAX = 500;
/** RFC 5321 §4.5.3.1: 64 for the local part, 255 for the domain, and the `@`. */
const EMAIL_CHARS_MAX = 320;

/**
 * Reads every mailbox of an address header, in order; members of groups stand in their group's place.
 * What has no addr-spec with an `@`, or one with brackets or, outside of quotes, blanks in it, is left out.
 * Never throws; at most ADDRESSES_MAX.
 */
export function readAddresses(header: string): MailAddress[] {
  const found: MailAddress[] = [];
  const { header: plain, restore } = withoutQuotedLocalParts(canonicalWords(header.slice(0, ADDRESS_LIST_CHARS_MAX)));
  collect(addressParser(plain), restore, found);
  return found;
}

function collect(addresses: readonly Address[], restore: PlainList['restore'], found: MailAddress[]): void {
  for (const address of addresses) {
    if (found.length >= ADDRESSES_MAX) return;
    if (address.group !== undefined) {
      collect(address.group, restore, found);
      continue;
    }
    const email = readEmail(restore(address.address));
    if (email === null) continue;
    const name = oneLine(address.name).slice(0, NAME_CHARS_MAX).toWellFormed();
    found.push({ name: name === '' || name === email ? null : name, email });
  }
}

function readEmail(written: string): string | null {
  if (written.length > EMAIL_CHARS_MAX * 3) return null;
  const visible = written.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  const [, quoted, domain] = QUOTED_ADDRESS.exec(visible) ?? [];
  if (quoted !== undefined) return usable(`${shortestLocalPart(quoted)}${domain}`);
  const email = visible
    // RFC 5322 §4.4: blanks and comments within an address are obsolete, not wrong.
    .replace(/\([^()]*\)/g, '')
    .replace(/\s*([.@])\s*/g, '$1')
    .trim();
  return /^[^@\s<>][^\s<>]*@[^@\s<>,;]+$/.test(email) ? usable(email) : null;
}

const QUOTED_ADDRESS = new RegExp(`^(${QUOTED_STRING})(@[^@\\s<>,;"()]+)$`);

function usable(email: string): string | null {
  return email.length > EMAIL_CHARS_MAX ? null : email.toWellFormed();
}
