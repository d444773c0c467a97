import { hashKey } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import type { LiveEvent } from '../api/live.ts';
import { throttleByKey } from '../lib/throttle-by-key.ts';
import { countsQuery } from './counts/counts.ts';
import { ownId, refreshAskedLists } from './list-places.ts';
import { type PresentPerson, receivePresence } from './presence.ts';
import { ticketEventsQuery } from './queries.ts';
import { dropRows, receiveLiveRows, receiveOwn, rowsOf, ticketKey } from './rows.ts';

/** An event of a ticket, with its row. All members get the same event, so it leaves out `unread` and `hasDraft`. */
type TicketTold = {
  type: string;
  ticketId: string;
  actor: { type: string; userId?: string };
  ticket: Ticket | null;
  eventId: string;
};

type Shown = TicketTold & { ticket: Ticket };

/** Throttles fetching data that the event's row does not have: a burst of events costs two fetches. */
const readAgain = throttleByKey(1_000);

/** Queries about the person, which belong to no workspace. */
const ownNames = new Set(['me', 'preferences']);
/** The queries to fetch again after each event. */
const readAnew: Partial<Record<LiveEvent['name'], readonly string[]>> = {
  end: ['me'],
  notification: ['notifications'],
  'notification.read': ['notifications'],
  mailbox: ['mailboxes', 'counts'],
  view: ['views', 'counts'],
  saved_reply: ['replies'],
  workspace: ['me', 'settings', 'tags', 'tag-list'],
  member: ['members', 'all-members', 'invites', 'me'],
  preferences: ['preferences'],
  opened: ['presence'],
  resumed: ['notifications', 'presence'],
};

/** To fetch everything on the screen again costs less than to apply more events of tickets at once. */
const toldMax = 500;

/** Updates the cache with the events of a workspace. */
export function applyEvents(workspaceId: string, events: readonly LiveEvent[]): void {
  const all = { queryKey: ['workspace', workspaceId] };
  if (events.some(({ name }) => name === 'reset')) void queryClient.invalidateQueries(all);
  // The person may see other tickets now.
  if (events.some(({ name }) => name === 'team')) refresh(all.queryKey);
  const changed = new Set(events.flatMap(({ name }) => readAnew[name] ?? []));
  for (const name of changed) refresh(ownNames.has(name) ? [name] : [...all.queryKey, name]);
  if (events.some(isDraftBegunOrGone)) refresh(countsQuery(workspaceId).queryKey);
  for (const { ticketId, people } of presenceTold(events)) receivePresence(workspaceId, ticketId, people);
  const told = events
    .filter(({ name }) => name === 'ticket' || name === 'message')
    .map(({ data, id }) => ({ ...(data as Omit<TicketTold, 'eventId'>), eventId: id }));
  // Of a ticket that moved out of sight, the event has no row.
  const hidden = told.filter(({ ticket }) => ticket === null).map(({ ticketId }) => ticketId);
  if (hidden.length > 0) dropRows(workspaceId, hidden);
  if (told.length > toldMax || hidden.length > 0) refresh(all.queryKey);
  else if (told.length > 0) applyTickets(workspaceId, told as Shown[]);
  for (const { ticketId, unread } of seenTold(events)) receiveOwn(workspaceId, ticketId, { unread });
}

function refresh(queryKey: readonly unknown[]): void {
  readAgain(JSON.stringify(queryKey), () => void readBehindFirst(queryKey));
}

/** Waits for first answers that are on their way. They may be older than the event, and would swallow the new fetch. */
async function readBehindFirst(queryKey: readonly unknown[]): Promise<void> {
  const first = queryClient.getQueryCache().findAll({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  });
  await Promise.allSettled(first.map(({ promise }) => promise));
  await queryClient.invalidateQueries({ queryKey });
}

/** Tickets that the member has read, or marked unread, in another tab or on another machine. */
function seenTold(events: readonly LiveEvent[]) {
  return events.filter(({ name }) => name === 'seen').map(({ data }) => data as { ticketId: string; unread: boolean });
}

/** Saved drafts come with every second of typing, and change no count. */
function isDraftBegunOrGone({ name, data }: LiveEvent): boolean {
  return name === 'draft' && [1, null].includes((data as { version: number | null }).version);
}

function presenceTold(events: readonly LiveEvent[]) {
  return events
    .filter(({ name }) => name === 'presence')
    .map(({ data }) => data as { ticketId: string; people: PresentPerson[] });
}

function applyTickets(workspaceId: string, told: readonly Shown[]): void {
  const before = rowsOf(workspaceId);
  const unread = new Set(told.filter(isUnread).map(({ ticketId }) => ticketId));
  const userId = ownId();
  const mayLack = receiveLiveRows(
    workspaceId,
    told.map(({ type, ticketId, actor, ticket, eventId }) => ({
      eventId,
      ticket: {
        ...before.get(ticketId)?.told,
        ...ticket,
        id: ticketId,
        ...(unread.has(ticketId) && !isRead(workspaceId, ticket) && { unread: true }),
      },
      isNew: type === 'ticket.created',
      isOwn: actor.userId === userId,
    })),
  );
  if (mayLack) refresh(countsQuery(workspaceId).queryKey);
  for (const { type, ticketId, ticket } of told) {
    const key = ticketKey(workspaceId, ticket.ticketNumber);
    const { queryKey: eventsKey } = ticketEventsQuery(workspaceId, { id: ticketId, ticketNumber: ticket.ticketNumber });
    if (!isCached(key) && !isCached(eventsKey)) continue;
    refresh(type.startsWith('message.') ? key : [...key, 'events']);
  }
  if (told.some(({ type }) => type === 'ticket.tagged')) refresh(['workspace', workspaceId, 'tag-list']);
  readAgain(`asked ${workspaceId}`, () => refreshAskedLists(workspaceId));
}

/** A customer's message makes a ticket unread; a colleague's work does not. */
function isUnread({ type, actor }: TicketTold): boolean {
  return actor.type === 'customer' && (type === 'message.added' || type === 'ticket.created');
}

/** Whether the member looks at the ticket now, so that new messages count as read. */
function isRead(workspaceId: string, { ticketNumber }: Ticket): boolean {
  // Looks the key up; `find` compares it with the key of each query.
  const query = queryClient.getQueryCache().get(hashKey(ticketKey(workspaceId, ticketNumber)));
  return query?.isActive() === true && document.visibilityState === 'visible';
}

function isCached(queryKey: readonly unknown[]): boolean {
  return queryClient.getQueryState(queryKey) !== undefined;
}
