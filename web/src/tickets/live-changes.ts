import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import type { LiveEvent } from '../api/live.ts';
import { listsKey, refreshAskedLists } from './list-places.ts';
import { type PresentPerson, receivePresence } from './presence.ts';
import { ticketQuery } from './queries.ts';
import { receiveRows, rowsOf, ticketKey } from './rows.ts';

/** What an event tells of a ticket: some fields of its row, or all. */
type TicketTold = {
  type: string;
  ticketId: string;
  ticket: Pick<Ticket, 'ticketNumber' | 'version'> & Partial<Ticket>;
};

/** More are asked for by their lists. */
const readMax = 5;

/** Brings what is shown up to date with the events of a workspace. */
export function applyEvents(workspaceId: string, events: readonly LiveEvent[]): void {
  const all = { queryKey: ['workspace', workspaceId] };
  if (events.some(({ name }) => name === 'reset')) void queryClient.invalidateQueries(all);
  if (events.some(({ name }) => name === 'end')) void queryClient.invalidateQueries({ queryKey: ['me'] });
  if (events.some(({ name }) => name === 'notification'))
    void queryClient.invalidateQueries({ queryKey: [...all.queryKey, 'notifications'] });
  for (const { ticketId, people } of presenceTold(events)) receivePresence(workspaceId, ticketId, people);
  const told = events
    .filter(({ name }) => name === 'ticket' || name === 'message')
    .map(({ data }) => data as TicketTold);
  if (told.length > 0) applyTickets(workspaceId, told);
}

function presenceTold(events: readonly LiveEvent[]) {
  return events
    .filter(({ name }) => name === 'presence')
    .map(({ data }) => data as { ticketId: string; people: PresentPerson[] });
}

function applyTickets(workspaceId: string, told: readonly TicketTold[]): void {
  const before = rowsOf(workspaceId);
  const newest = [...new Map(told.map((event) => [event.ticketId, event])).values()];
  const news = newest.filter(({ ticketId, ticket }) => {
    const row = before.get(ticketId);
    return row === undefined || row.told.version < ticket.version;
  });
  // What the event tells is shown at once; the rest of the row follows.
  receiveRows(
    workspaceId,
    news.flatMap(({ ticketId, ticket }) => {
      const row = before.get(ticketId)?.told;
      if (row !== undefined) return [{ ...row, ...ticket }];
      return isWhole(ticket) ? [{ ...ticket, id: ticketId }] : [];
    }),
  );
  const parts = news.filter(({ ticket }) => !isWhole(ticket));
  if (parts.length > readMax) void queryClient.invalidateQueries({ queryKey: listsKey(workspaceId) });
  else
    for (const { ticket } of parts)
      void queryClient.fetchQuery({ ...ticketQuery(workspaceId, ticket.ticketNumber), staleTime: 0 }).catch(() => {
        // A ticket that cannot be read is in no list either.
      });
  for (const { type, ticket } of told)
    void queryClient.invalidateQueries({
      queryKey: [...ticketKey(workspaceId, ticket.ticketNumber), ...(type.startsWith('message.') ? [] : ['events'])],
    });
  refreshAskedLists(workspaceId);
}

function isWhole(ticket: Partial<Ticket>): ticket is Ticket {
  return ticket.subject !== undefined && ticket.tags !== undefined && ticket.lastMessage !== undefined;
}
