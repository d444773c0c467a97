/**
 * Reads address lists (RFC 5322 §3.4) with postal-mime's parser. Flattens groups, and decodes encoded words with our
 * own charsets.
 */

import { type Address, addressParser } from 'postal-mime';
import { canonicalWords, oneLine } from './encoded-words.ts';
import { withoutInvisible } from './invisible.ts';
import type { MailAddress } from './mail.ts';
import { type PlainList, QUOTED_STRING, shortestLocalPart, withoutQuotedLocalParts } from './quoted-local-part.ts';

/** Ignores the addresses beyond this number. */
const ADDRESSES_MAX = 1_000;
/** Ignores the characters of a list beyond this number. */
export const ADDRESS_LIST_CHARS_MAX = 200_000;
const NAME_CHARS_MAX = 500;
/** RFC 5321 §4.5.3.1 allows 64 characters for the local part and 255 for the domain. The `@` makes 320. */
const EMAIL_CHARS_MAX = 320;

/**
 * Reads the addresses of an address header in order. The members of a group take the group's place.
 * Skips an entry without an `@`, and an address with angle brackets or unquoted blanks inside.
 * Never throws. Returns at most ADDRESSES_MAX.
 */
export function readAddresses(header: string): MailAddress[] {
  const found: MailAddress[] = [];
  const written = withoutRoutes(canonicalWords(header.slice(0, ADDRESS_LIST_CHARS_MAX)));
  const { header: plain, restore } = withoutQuotedLocalParts(written);
  collect(addressParser(plain), restore, found);
  return found;
}

/** A quote, or the servers by which an address once said mail should go (RFC 5322 §4.4). */
const ROUTE_OR_QUOTE = /\\.|"|<@[^<>:"]{1,500}:/gs;

/** A quoted local part may look like a route. */
function withoutRoutes(header: string): string {
  let isQuoted = false;
  return header.replace(ROUTE_OR_QUOTE, (found) => {
    if (found === '"') isQuoted = !isQuoted;
    return !isQuoted && found.startsWith('<@') ? '<' : found;
  });
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
  const visible = withoutInvisible(written).replace(STRAY_BRACKETS, '').trim();
  const [, quoted, domain] = QUOTED_ADDRESS.exec(visible) ?? [];
  if (quoted !== undefined) return usable(`${shortestLocalPart(quoted)}${domain}`);
  const email = visible
    // Blanks and comments within an address are obsolete but valid (RFC 5322 §4.4).
    .replace(/\([^()]*\)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([.@]) ?/g, '$1')
    .trim();
  return /^[^@\s<>][^\s<>]*@[^@\s<>,;]+$/.test(email) ? usable(email) : null;
}

/** A bracket that nothing opens or closes. */
const STRAY_BRACKETS = /^[<\s]+|(?<![>\s])[>\s]+$/g;
const QUOTED_ADDRESS = new RegExp(`^(${QUOTED_STRING})(@[^@\\s<>,;"()]+)$`);

function usable(email: string): string | null {
  return email.length > EMAIL_CHARS_MAX ? null : email.toWellFormed();
}
