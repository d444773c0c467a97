import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import type { LiveEvent } from '../api/live.ts';
import { atMostOnceIn } from '../lib/at-most-once.ts';
import { refreshAskedLists } from './list-places.ts';
import { type PresentPerson, receivePresence } from './presence.ts';
import { receiveRows, receiveUnread, rowsOf, ticketKey } from './rows.ts';

/** What happened to a ticket, and its row. Without what is of one member alone, as everybody is told the same. */
type TicketTold = { type: string; ticketId: string; actor: { type: string }; ticket: Ticket };

/** What the row does not tell is read again: a burst of events costs two readings, not one for each. */
const readAgain = atMostOnceIn(1_000);

/** What concerns the person in all workspaces. */
const ownNames = new Set(['me', 'preferences']);
/** What is read again when an event says that it has changed. */
const readAnew: Partial<Record<LiveEvent['name'], readonly string[]>> = {
  end: ['me'],
  notification: ['notifications'],
  'notification.read': ['notifications'],
  view: ['views', 'counts'],
  workspace: ['me'],
  member: ['members', 'invites', 'me'],
  preferences: ['preferences'],
  opened: ['presence'],
  resumed: ['notifications', 'presence'],
};

/** Brings what is shown up to date with the events of a workspace. */
export function applyEvents(workspaceId: string, events: readonly LiveEvent[]): void {
  const all = { queryKey: ['workspace', workspaceId] };
  if (events.some(({ name }) => name === 'reset')) void queryClient.invalidateQueries(all);
  const changed = new Set(events.flatMap(({ name }) => readAnew[name] ?? []));
  for (const name of changed) refresh(ownNames.has(name) ? [name] : [...all.queryKey, name]);
  for (const { ticketId, people } of presenceTold(events)) receivePresence(workspaceId, ticketId, people);
  const told = events
    .filter(({ name }) => name === 'ticket' || name === 'message')
    .map(({ data }) => data as TicketTold);
  if (told.length > 0) applyTickets(workspaceId, told);
  for (const { ticketId, unread } of seenTold(events)) receiveUnread(workspaceId, ticketId, unread);
}

function refresh(queryKey: readonly unknown[]): void {
  readAgain(JSON.stringify(queryKey), () => void readBehindFirst(queryKey));
}

/** A first answer that is on its way may be older than the event, and would be taken for the one that is asked for now. */
async function readBehindFirst(queryKey: readonly unknown[]): Promise<void> {
  const first = queryClient.getQueryCache().findAll({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  });
  await Promise.allSettled(first.map(({ promise }) => promise));
  await queryClient.invalidateQueries({ queryKey });
}

/** What was read, or marked unread, in another tab or at another machine. */
function seenTold(events: readonly LiveEvent[]) {
  return events.filter(({ name }) => name === 'seen').map(({ data }) => data as { ticketId: string; unread: boolean });
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
  const unread = new Set(news.length === 0 ? [] : told.filter(isUnread).map(({ ticketId }) => ticketId));
  receiveRows(
    workspaceId,
    news.map(({ ticketId, ticket }) => ({
      ...before.get(ticketId)?.told,
      ...ticket,
      id: ticketId,
      ...(unread.has(ticketId) && !isRead(workspaceId, ticket) && { unread: true }),
    })),
  );
  for (const { type, ticket } of told) {
    const key = ticketKey(workspaceId, ticket.ticketNumber);
    refresh(type.startsWith('message.') ? key : [...key, 'events']);
  }
  readAgain(`asked ${workspaceId}`, () => refreshAskedLists(workspaceId));
}

/** Customers who write make a ticket unread; what colleagues do with it does not. */
function isUnread({ type, actor }: TicketTold): boolean {
  return actor.type === 'customer' && (type === 'message.added' || type === 'ticket.created');
}

/** Whether the member looks at the ticket, so that what comes is read as it comes. */
function isRead(workspaceId: string, { ticketNumber }: Ticket): boolean {
  const query = queryClient.getQueryCache().find({ queryKey: ticketKey(workspaceId, ticketNumber) });
  return query?.isActive() === true && document.visibilityState === 'visible';
}
