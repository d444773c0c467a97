import type { InfiniteData } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { queryClient } from '../api/cache.ts';
import type { Ticket, TicketWithMessages } from '../api/client.ts';
import type { LiveEvent } from '../api/live.ts';
import { type IdPage, listsKey } from './list-places.ts';
import { applyEvents } from './live-changes.ts';
import { holdChange, receiveRows, rowIn, rowsOf, settleChange, ticketKey } from './rows.ts';

const workspaceId = 'w';
const openList = [...listsKey(workspaceId), { status: ['open'] }];

const ticket = (number: number, fields: Partial<Ticket> = {}) =>
  ({
    id: `t${number}`,
    ticketNumber: number,
    status: 'open',
    tags: [],
    archivedAt: null,
    trashedAt: null,
    spamAt: null,
    mergedIntoId: null,
    snoozedUntil: null,
    lastMessageAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
    version: 1,
    ...fields,
  }) as Ticket;

const told = (of: Ticket): LiveEvent => ({
  name: 'ticket',
  data: { type: 'ticket.status_changed', ticketId: of.id, actor: { type: 'agent' }, ticket: of },
  id: '',
});
const idsOf = () => queryClient.getQueryData<InfiniteData<IdPage>>(openList)?.pages.flatMap(({ ids }) => ids);

function showList(...tickets: Ticket[]): void {
  receiveRows(workspaceId, tickets);
  const page: IdPage = { ids: tickets.map(({ id }) => id), nextCursor: undefined };
  queryClient.setQueryData(openList, { pages: [page], pageParams: [undefined] });
}

afterEach(() => queryClient.clear());

test('a ticket of the stream joins its list, and a ticket of no list is forgotten', () => {
  showList(ticket(1));
  applyEvents(workspaceId, [told(ticket(2)), told(ticket(3, { status: 'closed' }))]);
  expect(idsOf()).toEqual(['t2', 't1']);
  expect([...rowsOf(workspaceId).keys()]).toEqual(['t1', 't2']);
});

test('a ticket that leaves its list stays known', () => {
  showList(ticket(1));
  applyEvents(workspaceId, [told(ticket(1, { status: 'closed', version: 2 }))]);
  expect(idsOf()).toEqual([]);
  expect(rowsOf(workspaceId).get('t1')?.shown.status).toBe('closed');
});

test('a listed ticket has not changed when it is read with its messages', () => {
  const listed = ticket(1);
  showList(listed);
  const row = rowsOf(workspaceId).get('t1')?.shown;
  const more = { messages: [], earlierCursor: 'c', drafts: [], replyDefaults: { to: [], cc: [] }, replyOffers: ['a'] };
  receiveRows(workspaceId, [rowIn({ ...listed, ...more } as TicketWithMessages)]);
  expect(rowsOf(workspaceId).get('t1')?.shown).toBe(row);
});

test('a ticket stays known while a list is read, since the answer may be older', async () => {
  const answer = Promise.withResolvers<IdPage>();
  const read = queryClient.fetchInfiniteQuery({
    queryKey: openList,
    queryFn: () => answer.promise,
    initialPageParam: undefined,
  });
  applyEvents(workspaceId, [told(ticket(3, { status: 'closed', version: 2 }))]);
  expect(rowsOf(workspaceId).has('t3')).toBe(true);
  answer.resolve({ ids: [], nextCursor: undefined });
  await read;
});

test('late events of earlier changes do not undo a change that the service took', () => {
  showList(ticket(1));
  const change = { kind: 'fields', fields: { status: 'open' } } as const;
  holdChange(workspaceId, ['t1'], { key: 'back to open', change });
  settleChange(workspaceId, new Map([['t1', 3]]), { key: 'back to open', change });
  applyEvents(workspaceId, [told(ticket(1, { status: 'closed', version: 2 }))]);
  expect(idsOf()).toEqual(['t1']);
  applyEvents(workspaceId, [told(ticket(1, { subject: 'By the service', version: 3 }))]);
  expect(rowsOf(workspaceId).get('t1')?.shown.subject).toBe('By the service');
});

test('a flood of events is one fetch of everything instead of a change of each ticket', async () => {
  showList(ticket(1));
  queryClient.setQueryData(ticketKey(workspaceId, 1), ticket(1));
  applyEvents(
    workspaceId,
    Array.from({ length: 501 }, (_, at) => told(ticket(at + 1, { version: 2 }))),
  );
  expect(rowsOf(workspaceId).size).toBe(1);
  await expect.poll(() => queryClient.getQueryState(openList)?.isInvalidated).toBe(true);
  expect(queryClient.getQueryState(ticketKey(workspaceId, 1))?.isInvalidated).toBe(true);
});
