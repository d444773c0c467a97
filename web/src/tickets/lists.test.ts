import { expect, test } from 'vitest';
import {
  type ListParameters,
  listDefault,
  readList,
  readQuery,
  standardListOf,
  standardLists,
  writeList,
} from './lists.ts';

test.each(standardLists)('the address of $name leads back to it', ({ parameters }) => {
  expect(readList(writeList(parameters))).toEqual(parameters);
});

test('an address without parameters is the list of open tickets', () => {
  expect(readList('')).toEqual(listDefault);
  expect(readList('utm=1&status=')).toEqual(listDefault);
});

test('a search keeps its words', () => {
  expect(readList(writeList({ search: '"a phrase" -not #12' }))).toEqual({ search: '"a phrase" -not #12' });
});

test('a list without filters has an address of its own', () => {
  expect(writeList({})).not.toBe('');
  expect(readList(writeList({}))).not.toEqual(listDefault);
});

test('the query of a view has the list that the service counts', () => {
  expect(readQuery({})).toEqual(readList(writeList({})));
  expect(readQuery({ ids: ['t1', 't2'] })).toEqual({ ids: ['t1', 't2'] });
});

test('all filters and the order survive the address', () => {
  const list: ListParameters = {
    status: ['open', 'pending'],
    tags: ['a & b', 'ü'],
    delivery: ['failed'],
    assignee: ['none', 'me'],
    ids: ['t1', 't2'],
    mailbox: ['m1', 'm2'],
    unread: true,
    following: false,
    mentioned: true,
    hasAttachment: false,
    createdFrom: '2026-01-01T00:00:00.000Z',
    lastMessageTo: '2026-02-01T00:00:00.000Z',
    priority: 'high',
    archived: 'any',
    snoozed: true,
    search: 'x=y',
    sort: 'createdAt',
    order: 'asc',
  };
  expect(readList(writeList(list))).toEqual(list);
});

test('a standard list is found by its filters, whatever its sort order', () => {
  expect(standardListOf({ assignee: ['me'], status: ['open'], sort: 'priority' })?.name).toBe('list.mine');
  expect(standardListOf({ assignee: ['me'], status: ['open'], tags: ['a'] })).toBeUndefined();
});
