import type { Message } from '../api/client.ts';
import { words } from '../words/words.ts';

/** Whom a message is from, as people call them. */
export function personOf({ author }: Pick<Message, 'author'>): string {
  return author.name ?? author.email ?? words('app');
}
