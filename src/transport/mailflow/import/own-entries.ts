import { isEmailAddress } from '../../../ground/http/schema.ts';

/** Whether a text names an address of the team, or all addresses of a domain as `@example.com`. */
export function isOwnEntry(text: string): boolean {
  return isEmailAddress(text.startsWith('@') ? `anyone${text}` : text);
}
