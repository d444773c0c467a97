import type { Message } from '../api/client.ts';
import { words } from '../words/words.ts';

/** The name of a message's author. */
export function personOf({ author }: Pick<Message, 'author'>): string {
  const { name, email } = author;
  // Anyone can send under a name that is another person's address, so the true address follows.
  if (name?.includes('@') && email !== null) return `${name} <${email}>`;
  return email === null ? (name ?? words('app')) : nameOfContact({ name, email });
}

/** The name of a contact, or their address. An erased person has a stub in its place. */
export function nameOfContact({ name, email }: { name: string | null; email: string }): string {
  return name ?? (email.endsWith('@erased.invalid') ? words('person.erased') : email);
}
