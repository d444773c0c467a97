import { useQuery } from '@tanstack/react-query';
import type { Ticket } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { useRows } from '../../tickets/use-ticket-list.ts';
import { contactQuery } from '../queries.ts';

/**
 * The tickets of a contact, the newest first: those that the service told, in their present state, and those that came
 * since. Undefined until the service has told.
 */
export function useTicketsOf(contactId: string): Ticket[] | undefined {
  const { workspace } = usePlace();
  const rows = useRows(workspace.id);
  const told = useQuery(contactQuery(workspace.id, contactId)).data?.tickets;
  if (told === undefined) return undefined;
  const known = new Map<string, Ticket>(told.map((ticket) => [ticket.id, ticket]));
  for (const { shown } of rows.values())
    if (shown.requester?.contactId === contactId || known.has(shown.id)) known.set(shown.id, shown);
  return [...known.values()].filter(isShown).sort((a, b) => b.lastMessageAt.localeCompare(a.lastMessageAt));
}

function isShown({ trashedAt, spamAt, mergedIntoId }: Ticket): boolean {
  return trashedAt === null && spamAt == null && mergedIntoId === null;
}
