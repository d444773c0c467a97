/** Address lists (RFC 5322 §3.4) through postal-mime's reader, groups flattened, words decoded by our own charsets. */
import { type Address, addressParser } from 'postal-mime';
import { canonicalWords, oneLine } from './encoded-words.ts';
import type { MailAddress } from './mail.ts';

/** Longest list read; the rest of a longer one is passed over. */
const ADDRESSES_MAX = 1_000;
const HEADER_CHARS_MAX = 200_000;
const NAME_CHARS_MAX = 500;
/** RFC 5321 §4.5.3.1: 64 for the local part, 255 for the domain, and the `@`. */
const EMAIL_CHARS_MAX = 320;

/**
 * Reads every mailbox of an address header, in order; members of groups stand in their group's place.
 * What has no addr-spec with an `@`, or one with blanks or brackets in it, is left out.
 * Never throws; at most ADDRESSES_MAX.
 */
export function readAddresses(header: string): MailAddress[] {
  const found: MailAddress[] = [];
  collect(addressParser(canonicalWords(header.slice(0, HEADER_CHARS_MAX))), found);
  return found;
}

function collect(addresses: readonly Address[], found: MailAddress[]): void {
  for (const address of addresses) {
    if (found.length >= ADDRESSES_MAX) return;
    if (address.group !== undefined) {
      collect(address.group, found);
      continue;
    }
    const email = readEmail(address.address);
    if (email === null) continue;
    const name = oneLine(address.name).slice(0, NAME_CHARS_MAX).toWellFormed();
    found.push({ name: name === '' || name === email ? null : name, email });
  }
}

function readEmail(written: string): string | null {
  if (written.length > EMAIL_CHARS_MAX * 3) return null;
  const email = written
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    // RFC 5322 §4.4: blanks and comments within an address are obsolete, not wrong.
    .replace(/\([^()]*\)/g, '')
    .replace(/\s*([.@])\s*/g, '$1')
    .trim();
  if (email.length > EMAIL_CHARS_MAX || !/^[^@\s<>][^\s<>]*@[^@\s<>,;]+$/.test(email)) return null;
  return email.toWellFormed();
}
