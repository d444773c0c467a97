import type { Message } from '../api/client.ts';
import { words } from '../words/words.ts';

/** The name of a message's author. */
export function personOf({ author }: Pick<Message, 'author'>): string {
  const { name, email } = author;
  // Anyone can send under a name that is another person's address, so the true address follows.
  if (name?.includes('@') && email !== null) return `${name} <${email}>`;
  return name ?? email ?? words('app');
}
