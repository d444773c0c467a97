import type { ContactId } from '../../ground/lib/ids.ts';

/** RFC 2606 reserves the top-level domain, so mail to it reaches nobody. */
const domain = '@erased.invalid';

/** The address that a contact has after the erasure of its person. */
export function erasedAddress(id: ContactId): string {
  return `erased-${id.slice(-12)}${domain}`;
}

export function isErasedAddress(email: string): boolean {
  return email.trim().toLowerCase().endsWith(domain);
}
