import { expect, test } from 'vitest';
import type { Ticket } from '../api/client.ts';
import { readQuery } from '../lib/query-words.ts';
import { cachedHits, listOfQuery } from './search-list.ts';

const names = { members: () => [], mailboxes: () => ['m1'] };
const row = (ticketNumber: number, subject: string, more: Partial<Ticket> = {}) =>
  ({
    ticketNumber,
    subject,
    requester: null,
    tags: [],
    archivedAt: null,
    lastMessageAt: `2026-01-0${ticketNumber}`,
    ...more,
  }) as unknown as Ticket;

test('operators become parameters of the list, the rest is searched', () => {
  const { list, unknown } = listOfQuery(readQuery('is:closed tag:vip flat tyre is:nonsense', names));
  expect(list).toEqual({ status: ['closed'], tags: ['vip'], search: 'flat tyre' });
  expect(unknown).toEqual(['is:nonsense']);
});

test('every operator has a parameter of the list', () => {
  const text = 'in:support has:attachment is:unread is:following is:mentioned after:2026-02-01 before:2026-03-01';
  expect(listOfQuery(readQuery(text, names))).toEqual({
    list: {
      mailbox: ['m1'],
      hasAttachment: true,
      unread: true,
      following: true,
      mentioned: true,
      lastMessageFrom: new Date(2026, 1, 1).toISOString(),
      lastMessageTo: new Date(2026, 2, 1).toISOString(),
    },
    unknown: [],
  });
});

test('loaded tickets are found by subject, person and number, whatever the case and accents', () => {
  const rows = [
    row(1, 'Brake pads'),
    row(2, 'A brake', { requester: { contactId: '', email: 'jose@example.org', name: 'José' } }),
    row(3, 'Brake', { archivedAt: '2026-01-01' }),
  ];
  const found = (search: string) => cachedHits(rows, search, 5).map(({ ticketNumber }) => ticketNumber);
  expect(found('BRAKE')).toEqual([2, 1]);
  expect(found('brake jose')).toEqual([2]);
  expect(found('#1')).toEqual([1]);
  expect(found('"brake pads"')).toEqual([1]);
  expect(found('')).toEqual([]);
});
