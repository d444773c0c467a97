import type { InfiniteData } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { type IdPage, listsKey } from './list-places.ts';
import type { ListParameters } from './lists.ts';
import { placeOvertaken } from './place-overtaken.ts';
import { holdChange, receiveRows } from './rows.ts';

const workspaceId = 'w';
const open: ListParameters = { status: ['open'] };
const key = [...listsKey(workspaceId), open];

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
    lastMessageAt: `2026-01-01T00:00:0${number}.000Z`,
    version: 1,
    ...fields,
  }) as Ticket;

let stop: () => void;
beforeEach(() => {
  stop = placeOvertaken(workspaceId);
});
afterEach(() => {
  stop();
  queryClient.clear();
});

/** Reads the list: the service gathers these tickets, `meanwhile` runs, and then the answer arrives. */
async function read(tickets: readonly Ticket[], meanwhile: () => void): Promise<string[]> {
  await queryClient.fetchInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: async (): Promise<IdPage> => {
      await Promise.resolve();
      meanwhile();
      receiveRows(workspaceId, tickets);
      return { ids: tickets.map(({ id }) => id), nextCursor: undefined };
    },
  });
  return queryClient.getQueryData<InfiniteData<IdPage>>(key)?.pages.flatMap(({ ids }) => ids) ?? [];
}

test('a ticket that comes in while its list is read is in the list', async () => {
  expect(await read([ticket(2), ticket(1)], () => receiveRows(workspaceId, [ticket(3)]))).toEqual(['t3', 't2', 't1']);
});

test('a ticket that is closed while its list is read is not in the list', async () => {
  const close = () => receiveRows(workspaceId, [ticket(2, { status: 'closed', version: 2 })]);
  expect(await read([ticket(2), ticket(1)], close)).toEqual(['t1']);
});

test('a change that the service has not answered yet counts', async () => {
  receiveRows(workspaceId, [ticket(2), ticket(1)]);
  holdChange(workspaceId, ['t2'], { key: 'k', change: { kind: 'fields', fields: { status: 'closed' } } });
  expect(await read([ticket(2), ticket(1)], () => undefined)).toEqual(['t1']);
});
