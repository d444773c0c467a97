import type { Ticket } from '../api/client.ts';
import { type CommandId, commandWords } from '../commands.ts';
import { words } from '../words/words.ts';

/** What a command does with these tickets in their present state. */
export function commandWordsFor(id: CommandId, tickets: readonly Ticket[]): string {
  if (tickets.length === 0) return commandWords(id);
  switch (id) {
    case 'archive':
      return words(tickets.some(({ archivedAt }) => archivedAt === null) ? 'bulk.archive' : 'bulk.unarchive');
    case 'spam':
      return words(tickets.some(({ spamAt }) => spamAt == null) ? 'more.spam' : 'spam.not');
    case 'trash':
      return words(tickets.some(({ trashedAt }) => trashedAt === null) ? 'more.trash' : 'bulk.restore');
    default:
      return commandWords(id);
  }
}

const statusOf: Partial<Record<CommandId, Ticket['status']>> = { close: 'closed', reopen: 'open', pend: 'pending' };

/** Whether a command would change nothing, because all tickets have its status. */
export function isDone(id: CommandId, tickets: readonly Ticket[]): boolean {
  const status = statusOf[id];
  return status !== undefined && tickets.length > 0 && tickets.every((ticket) => ticket.status === status);
}
