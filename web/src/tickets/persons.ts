import type { Message } from '../api/client.ts';
import { words } from '../words/words.ts';

/** Whom a message is from, as people call them. */
export function personOf({ author }: Pick<Message, 'author'>): string {
  const { name, email } = author;
  // A writer's name may be the address of somebody else.
  if (name?.includes('@') && email !== null) return `${name} <${email}>`;
  return name ?? email ?? words('app');
}
